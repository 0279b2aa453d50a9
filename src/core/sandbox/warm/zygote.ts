import type { ChildProcess } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import type { Writable } from 'node:stream'
import type { Interpreter, WarmOptions } from '../backend.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { getChildStream } from '../guest-host/child-streams.ts'
import { readInitPid } from '../linux/read-init-pid.ts'
import { killProcess } from '../../../util/kill-process.ts'
import { killOrphans } from '../linux/orphans.ts'
import { preferForOutOfMemoryKiller } from '../linux/out-of-memory-score.ts'
import { spawnGuest } from '../guest-host/spawn-guest.ts'
import { encodeUint32 } from '../guest-host/encode-uint32.ts'
import type { ExitReport } from '../guest-host/control-channel.ts'
import { findChildPid } from './find-child-pid.ts'
import { KIND_BITS, ForkedGuest, type ListeningFork, type GuestKind } from './forked-guest.ts'
import {
  ORDINARY_UID,
  ZYGOTE_FDS,
  type Launcher,
  type LauncherName,
  type ZygoteCommand,
} from '../linux/launcher.ts'
import { planBaseMounts } from './zygote-mounts.ts'
import { TOOLS_FOLDER, type ZygoteMount } from './tool-folders.ts'
import type { ZygoteFolder } from './zygote-folder.ts'
import { ZygoteMessageReader, type ZygoteMessage } from './zygote-messages.ts'

/** User ids of a zygote that root starts: its own, and the range of its runs. */
export interface ZygoteUsers {
  ownUid: number
  first: number
  count: number
}

interface ZygoteStart {
  launcher: Launcher
  env: WarmOptions['env']
  folder: ZygoteFolder
  interpreter: Interpreter
  /** Mounts of programs, including /usr and the interpreter. */
  mounts: readonly ZygoteMount[]
  /** User ids of runs; undefined unless root starts them. */
  users: ZygoteUsers | undefined
  /** Filter of every run, in the kernel's format. */
  filter: Buffer
}

const POLL_MS = 20
const START_MS = 10_000
/** Limit of output that is kept for the error message. */
const MAX_OUTPUT_CHARS = 4000

/** A process in namespaces that forks once per run, and the host's connection to it. */
export class Zygote {
  /** Resolves when it can fork; rejects with its output if it cannot start. */
  readonly ready: Promise<void>
  /** Resolves when it and all of its forks are dead. */
  readonly dead: Promise<void>
  forks = 0
  #child: ChildProcess
  #options: ZygoteStart
  #init: number | undefined
  #guests = new Map<number, ForkedGuest>()
  #output = ''
  #isDead = false
  #isRetired = false
  #resolveListening: () => void = () => {}

  constructor(options: ZygoteStart) {
    this.#options = options
    const { folder, users } = options
    const command = options.launcher.buildZygote({ ...options, user: users?.ownUid })
    this.#child = spawnZygote(folder, command)
    if (!options.launcher.becomesGuest) preferForOutOfMemoryKiller(this.#child.pid)
    this.dead = this.#readOutput(folder)
    const listening = new Promise<void>((resolve) => (this.#resolveListening = resolve))
    this.ready = this.#waitUntilListening(listening)
    this.ready.catch(() => {})
    this.#writeArguments(ZYGOTE_FDS.args, command.args)
    this.#writeArguments(ZYGOTE_FDS.outerArgs, command.outerArgs)
    this.#sendConfiguration()
  }

  get pid(): number | undefined {
    return this.#init
  }

  get backend(): LauncherName {
    return this.#options.launcher.name
  }

  /** True if each run has a user id of its own instead of a user namespace. */
  get assignsRunUids(): boolean {
    return this.#options.users !== undefined
  }

  get isDead(): boolean {
    return this.#isDead
  }

  /** Ends the zygote as soon as its last fork is dead. */
  retire(): void {
    this.#isRetired = true
    if (this.#guests.size === 0) this.kill()
  }

  /** Requests a fork for one run. */
  fork(kind: GuestKind): ForkedGuest {
    this.forks += 1
    const number = (this.forks | KIND_BITS[kind]) >>> 0
    const guest = new ForkedGuest({ kind, killZygote: () => this.kill() })
    this.#guests.set(number, guest)
    if (this.#isDead) this.#onForkExited(number)
    else getChildStream(this.#child, ZYGOTE_FDS.host).write(encodeUint32(number))
    return guest
  }

  /** Kills the zygote and all of its forks. */
  kill(): void {
    if (this.#isDead) return
    if (this.#init !== undefined) killProcess(this.#init)
    // Closing the socket ends the bwrap processes around it.
    getChildStream(this.#child, ZYGOTE_FDS.host).destroy()
    setTimeout(() => this.#isDead || this.#child.kill('SIGKILL'), START_MS).unref()
  }

  async #waitUntilListening(listening: Promise<void>): Promise<void> {
    const timer = setTimeout(() => this.kill(), START_MS)
    try {
      const init = await Promise.race([this.#readInit(), this.dead])
      if (init !== undefined) await Promise.race([listening, this.dead])
    } catch (error) {
      this.kill()
      throw error
    } finally {
      clearTimeout(timer)
    }
    if (this.#isDead) throw new Error(this.#output.trim() || 'it exited without a message')
  }

  /** bwrap waits until its user ids are mapped, since only root can map more than one. */
  async #readInit(): Promise<number> {
    const { users } = this.#options
    const init = await readInitPid(getChildStream(this.#child, ZYGOTE_FDS.info))
    this.#init = init
    if (users) mapUsers(init, users)
    getChildStream(this.#child, ZYGOTE_FDS.mapped).end('1')
    return init
  }

  #sendConfiguration(): void {
    const { folder, interpreter, mounts, users, filter } = this.#options
    const { base, viewed } = planBaseMounts(folder, interpreter, mounts)
    const config = Buffer.from(
      JSON.stringify({
        user: users?.ownUid ?? ORDINARY_UID,
        users: users?.first ?? null,
        filter: filter.toString('hex'),
        base,
        views: viewed,
        tools: TOOLS_FOLDER,
      }),
    )
    getChildStream(this.#child, ZYGOTE_FDS.host).write(
      Buffer.concat([encodeUint32(config.length), config]),
    )
  }

  #writeArguments(fd: number, args: string): void {
    const pipe: Writable = getChildStream(this.#child, fd)
    pipe.end(args)
  }

  #readOutput(folder: ZygoteFolder): Promise<void> {
    const messages = new ZygoteMessageReader()
    getChildStream(this.#child, ZYGOTE_FDS.host).on('data', (chunk: Buffer) => {
      try {
        messages.read(chunk, (message) => this.#onMessage(message))
      } catch (error) {
        this.#output = `it sent something else than messages: ${(error as Error).message}`
        this.kill()
      }
    })
    for (const fd of [1, 2]) {
      getChildStream(this.#child, fd).on('data', (chunk: Buffer) => {
        this.#output = (this.#output + chunk.toString('utf8')).slice(-MAX_OUTPUT_CHARS)
      })
    }
    return this.#waitForExit(folder)
  }

  /** bwrap exits when all of its processes are dead, unless bwrap itself was killed. */
  async #waitForExit(folder: ZygoteFolder): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#child.once('error', () => resolve())
      this.#child.once('exit', () => resolve())
    })
    killOrphans()
    while (this.#init !== undefined && isZygoteAlive(this.#init)) {
      getChildStream(this.#child, ZYGOTE_FDS.host).destroy()
      await sleep(POLL_MS)
    }
    // Its last output may still be unread.
    await sleep(POLL_MS)
    this.#isDead = true
    for (const number of this.#guests.keys()) this.#onForkExited(number)
    for (const each of this.#child.stdio) each?.destroy()
    folder.remove()
  }

  #onMessage({
    listening,
    made,
    pid = 0,
    ended,
    status = 0,
    dead,
    why,
    ...report
  }: ZygoteMessage): void {
    if (listening) this.#resolveListening()
    if (why !== undefined) this.#output = why
    if (made !== undefined) this.#guests.get(made)?.onForked(this.#locateFork(made, pid))
    if (ended !== undefined)
      this.#guests.get(ended)?.onExit({ ...decodeWaitStatus(status), ...report })
    if (dead !== undefined) this.#onForkExited(dead)
  }

  #locateFork(number: number, pidInZygote: number): ListeningFork | undefined {
    const init = this.#init ?? 0
    // If it runs a program, the fork is PID 1 of its namespace; otherwise another process is PID 1
    // and the fork is PID 2.
    const pidInFork = number >= KIND_BITS.program ? 1 : 2
    const pid = findChildPid(init, pidInZygote, pidInFork)
    const socketPath = `/proc/${init}/root/door/${number}`
    return pid === undefined ? undefined : { pid, socketPath }
  }

  #onForkExited(number: number): void {
    const guest = this.#guests.get(number)
    this.#guests.delete(number)
    guest?.onDead()
    if (this.#isRetired && this.#guests.size === 0) this.kill()
  }
}

function spawnZygote(folder: ZygoteFolder, { argv, cwd, env = {} }: ZygoteCommand): ChildProcess {
  try {
    return spawnGuest(argv, {
      env,
      cwd,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
    })
  } catch (error) {
    folder.remove()
    throw error
  }
}

/**
 * Maps the zygote's own id, those of runs, and an unused id for operations that require owner 0.
 */
function mapUsers(init: number, { ownUid, first, count }: ZygoteUsers): void {
  const lines = [`0 ${first + count} 1`, `${ownUid} ${ownUid} 1`, `${first} ${first} ${count}`]
  for (const map of ['gid_map', 'uid_map']) {
    writeFileSync(`/proc/${init}/${map}`, `${lines.join('\n')}\n`)
  }
  if (!readFileSync(`/proc/${init}/uid_map`, 'utf8').includes(String(first))) {
    throw new Error('its user ids could not be mapped')
  }
}

function isZygoteAlive(pid: number): boolean {
  try {
    const argv = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0')
    return argv.includes('/guest/zygote.py')
  } catch {
    return false
  }
}

/** Decodes the status of waitpid. */
function decodeWaitStatus(status: number): Pick<ExitReport, 'exit' | 'signal'> {
  const signal = status & 0x7f
  return signal === 0 ? { exit: status >> 8, signal: null } : { exit: null, signal }
}
