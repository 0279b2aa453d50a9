import { spawn, type ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { release } from 'node:os'
import { PassThrough, type Duplex, type Readable, type Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { SkillsError } from '../../errors.ts'
import { findProgram } from '../../util/find-program.ts'
import type { EndReason, SandboxExit, SandboxProcess, SandboxRequest } from './backend.ts'
import type { Isolation } from './isolation.ts'
import { bubblewrapArguments, FDS, guestCommand } from './bubblewrap-arguments.ts'
import { makeControlGroup, sweepControlGroups, type ControlGroup } from './cgroup.ts'
import { guestLimits } from './guest-limits.ts'
import { holdWorkspace, type HeldWorkspace } from './held-workspace.ts'
import { encodeFilter, filterFor } from './seccomp.ts'
import { stage, sweepStages, type Stage } from './stage.ts'
import { SYSTEM_CALLS } from './system-calls.ts'

/** User ids of runs started by root: a range that no system and no container tool hands out. */
const FIRST_USER = 1_879_048_192
const USERS = 2 ** 27
/** Tells the guest to stay who it is. */
const NO_USER = 0xffffffff
const MEMORY_POLL_MS = 50
const DRAIN_MS = 10_000

/** A sandbox by bubblewrap: user code is never the host's root, has no network and no capability. */
export async function startBubblewrap(request: SandboxRequest): Promise<SandboxProcess> {
  const program = findProgram('bwrap', request.searchPath)
  const calls = SYSTEM_CALLS[process.arch]
  if (!program || !calls) throw unavailable(program ? process.arch : undefined)
  sweepStages()
  sweepControlGroups()
  const asRoot = process.getuid?.() === 0
  const user = asRoot ? FIRST_USER + randomInt(USERS) : undefined
  const staged = stage(request, user ?? 1000)
  const group = makeControlGroup(request.id, request.limits)
  try {
    const child = spawn(
      program,
      ['--args', String(FDS.args), '--', ...guestCommand(request.interpreter)],
      {
        // bwrap's own environment can be read from inside, and a terminal's Ctrl-C is ours to handle.
        env: {},
        cwd: '/',
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe', ...Array.from({ length: 5 }, () => 'pipe' as const)],
      },
    )
    const running = new RunningSandbox(child, { staged, group, keepIn: request.keepIn })
    stream(child, FDS.args).end(
      bubblewrapArguments(request, staged, asRoot)
        .map((word) => `${word}\0`)
        .join(''),
    )
    stream(child, FDS.seccomp).end(encodeFilter(filterFor(calls)))
    const limits = guestLimits(request.limits, {
      grouped: group !== undefined,
      countsUsers: asRoot || kernelCountsByNamespace(),
    })
    running.begin(user, { ...request.job, limits: limits.values })
    const inside = await running.ready
    return Object.assign(running, {
      isolation: isolationOf(inside, { asRoot, where: { ...limits.where, ...groupLimits(group) } }),
    })
  } catch (error) {
    await group?.remove()
    staged.remove()
    throw error
  }
}

class RunningSandbox {
  readonly channel: Readable
  readonly answers: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  readonly exited: Promise<SandboxExit>
  /** What the guest is inside; rejects where the sandbox did not come up. */
  readonly ready: Promise<{ uid: number }>
  #child: ChildProcess
  #group: ControlGroup | undefined
  #init: number | undefined
  #reason: EndReason | undefined
  #keepIn: string | undefined
  #workspace: HeldWorkspace | undefined
  /** The guest's first word: from now on its root is the sandbox's. */
  #up: Promise<void>
  #isUp: () => void = () => {}
  #told: { exit?: number | null; signal?: number | null; failure?: string } = {}

  constructor(child: ChildProcess, own: OwnedBySandbox) {
    this.#child = child
    this.#group = own.group
    this.#keepIn = own.keepIn
    this.#up = new Promise((resolve) => (this.#isUp = resolve))
    this.channel = buffered(stream(child, FDS.channel))
    this.answers = stream(child, FDS.channel)
    this.stdout = buffered(child.stdout as Readable)
    this.stderr = buffered(child.stderr as Readable)
    // A sandbox that dies early closes these under us; how it ended is told by its exit.
    for (const each of child.stdio) each?.on('error', () => {})
    const exit = new Promise<void>((resolve) => {
      child.on('error', () => resolve())
      child.on('exit', () => resolve())
    })
    this.ready = this.#listen(exit)
    this.exited = this.#end(exit, own.staged)
    this.exited.catch(() => {})
  }

  /**
   * Hands over the job once the process is in its group: the guest runs nothing of a skill before.
   * The kernel may take as long for that as Python for its start, so they go on side by side.
   */
  begin(user: number | undefined, job: object): void {
    stream(this.#child, FDS.control).write(unsigned(user ?? NO_USER))
    let text = ''
    stream(this.#child, FDS.info).on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      const pid = /"child-pid":\s*(\d+)/.exec(text)?.[1]
      if (pid === undefined || this.#init !== undefined) return
      this.#init = Number(pid)
      if (this.#reason) return this.#killAll()
      void this.#handOver(this.#init, job)
    })
  }

  async #handOver(init: number, job: object): Promise<void> {
    try {
      await this.#limit(init)
      if (this.#keepIn !== undefined) {
        await this.#up
        this.#workspace = holdWorkspace(init)
      }
    } catch (error) {
      this.#told.failure = `limits could not be set: ${(error as Error).message}`
      return this.#killAll()
    }
    const body = Buffer.from(JSON.stringify(job))
    const control = stream(this.#child, FDS.control)
    control.write(unsigned(body.length))
    control.write(body)
  }

  async #limit(init: number): Promise<void> {
    try {
      await this.#group?.add(init)
    } catch (error) {
      // What is dead needs no limits, and why it died is told elsewhere.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }

  kill(why: EndReason): void {
    this.#reason ??= why
    this.#killAll()
  }

  /** PID 1 first: bwrap ends only after the kernel has ended all that is below it. */
  #killAll(): void {
    const { exitCode, signalCode } = this.#child
    if (exitCode !== null || signalCode !== null) return
    if (this.#init === undefined) this.#child.kill('SIGKILL')
    else {
      try {
        process.kill(this.#init, 'SIGKILL')
      } catch {
        this.#child.kill('SIGKILL')
      }
    }
  }

  async #listen(exit: Promise<void>): Promise<{ uid: number }> {
    const first = await new Promise<{ uid: number } | undefined>((resolve) => {
      let text = ''
      stream(this.#child, FDS.control).on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8')
        const lines = text.split('\n')
        text = lines.pop() ?? ''
        for (const line of lines) {
          const message = JSON.parse(line) as { up?: true; ready?: { uid: number } }
          if (message.up) this.#isUp()
          else if (message.ready) resolve(message.ready)
          else Object.assign(this.#told, message)
        }
      })
      void exit.then(() => setTimeout(() => resolve(undefined), 20))
    })
    if (first) return first
    const said: Buffer[] = []
    this.stderr.on('data', (chunk: Buffer) => said.push(chunk))
    for (const each of [this.stdout, this.channel]) each.resume()
    await this.exited
    const why = this.#told.failure ?? Buffer.concat(said).toString('utf8').trim()
    if (this.#reason === 'cancelled')
      throw new SkillsError('run/cancelled', 'The run was cancelled')
    throw unavailable(why)
  }

  async #end(exit: Promise<void>, staged: Stage): Promise<SandboxExit> {
    const watch = setInterval(() => {
      // Where only the largest process was taken, the others go with it.
      if (this.#group?.memoryHit()) this.kill('memory')
    }, MEMORY_POLL_MS)
    await exit
    clearInterval(watch)
    const memoryHit = this.#group?.memoryHit() ?? false
    const processesHit = this.#group?.processesHit() ?? false
    await this.#group?.remove()
    staged.remove()
    await Promise.race([
      Promise.all([1, 2, FDS.channel].map((fd) => ended(stream(this.#child, fd)))),
      sleep(DRAIN_MS, undefined, { ref: false }),
    ])
    for (const each of this.#child.stdio) each?.destroy()
    return {
      kept: await this.#keep(),
      exitCode: this.#told.exit ?? null,
      signal: this.#told.signal ?? null,
      endedBecause: this.#reason,
      memoryHit,
      processesHit,
      failure: this.#told.failure,
    }
  }

  async #keep(): Promise<SandboxExit['kept']> {
    if (this.#keepIn === undefined || !this.#workspace) return undefined
    try {
      return { leftOut: await this.#workspace.copyTo(this.#keepIn) }
    } catch (error) {
      return { problem: (error as Error).message }
    } finally {
      this.#workspace.close()
    }
  }
}

/** What goes with a sandbox, in the end or before. */
interface OwnedBySandbox {
  staged: Stage
  group: ControlGroup | undefined
  keepIn: string | undefined
}

/** Node throws away what nobody reads yet when a child exits: this reads from the start. */
function buffered(source: Readable): Readable {
  const buffer = new PassThrough()
  source.pipe(buffer)
  source.once('close', () => buffer.end())
  return buffer
}

function ended(readable: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (readable.readableEnded || readable.destroyed) return resolve()
    readable.once('end', resolve)
    readable.once('close', resolve)
  })
}

/** As the guest reads numbers. */
function unsigned(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function stream(child: ChildProcess, fd: number): Duplex & Writable {
  return child.stdio[fd] as unknown as Duplex & Writable
}

function isolationOf(
  inside: { uid: number },
  { asRoot, where }: { asRoot: boolean; where: Record<string, string> },
): Isolation {
  const shared = ['mount', 'pid', 'network', 'ipc', 'uts', 'cgroup']
  return {
    backend: 'bubblewrap',
    tier: where['memory']?.startsWith('cgroup') ? 'strict' : 'weak',
    namespaces: asRoot ? shared : ['user', ...shared],
    user: inside.uid,
    seccomp: true,
    network: 'none',
    limits: where,
  }
}

function groupLimits(group: ControlGroup | undefined): Record<string, string> {
  return group ? { memory: group.kind, processes: group.kind } : {}
}

/** Since 5.14 processes are counted for each user namespace, not for the user on the whole host. */
function kernelCountsByNamespace(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  return major > 5 || (major === 5 && minor >= 14)
}

function unavailable(why: string | undefined): SkillsError {
  if (why === undefined) {
    return new SkillsError('sandbox/unavailable', 'Bubblewrap is not installed', {
      hint: 'Type "skills doctor --fix" to install it',
    })
  }
  return new SkillsError(
    'sandbox/unavailable',
    `The sandbox did not start: ${why || 'no reason was given'}`,
    {
      hint: 'Type "skills doctor" to see what this machine lacks',
    },
  )
}
