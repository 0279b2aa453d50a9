import type { ChildProcess } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import type { Writable } from 'node:stream'
import type { Interpreter } from '../backend.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { childStream } from '../guest-host/child-streams.ts'
import { readInitPid } from '../bubblewrap/read-init-pid.ts'
import { killProcess } from '../../../util/kill-process.ts'
import { killOrphans } from '../bubblewrap/orphans.ts'
import { spawnGuest } from '../guest-host/spawn-guest.ts'
import { encodeUint32 } from '../guest-host/encode-uint32.ts'
import type { ExitReport } from '../guest-host/control-channel.ts'
import { findChildPid } from './find-child-pid.ts'
import { KIND_BITS, ForkedGuest, type ListeningFork, type GuestKind } from './forked-guest.ts'
import { planBaseMounts, ORDINARY_UID, ZYGOTE_FDS, buildZygoteCommand } from './zygote-arguments.ts'
import type { ZygoteMount } from './tool-folders.ts'
import type { ZygoteFolder } from './zygote-folder.ts'

/** The first of the users that root's zygote has at hand, itself not among them. */
export interface ZygoteUsers {
  own: number
  first: number
  count: number
}

interface ZygoteOptions {
  /** The path of bwrap. */
  program: string
  folder: ZygoteFolder
  interpreter: Interpreter
  /** Folders of programs, /usr and the interpreter's among them. */
  seen: readonly ZygoteMount[]
  /** Of runs, where root starts them. */
  users: ZygoteUsers | undefined
  /** The filter of every run, as the kernel reads it. */
  filter: Buffer
}

const POLL_MS = 20
const START_MS = 10_000
/** What it says in its defence is kept up to here. */
const MAX_OUTPUT_CHARS = 4000

/** What the zygote says, one line each. */
interface ZygoteMessage {
  listening?: true
  made?: number
  pid?: number
  /** How the process of a run ended; all that it left behind is ended then. */
  ended?: number
  status?: number
  cpu_ms?: number
  dead?: number
  why?: string
}

/** A process in bwrap that forks one process for each run, and the host's end of the talk with it. */
export class Zygote {
  /** Resolves when it can fork; rejects with what it said where it cannot. */
  readonly ready: Promise<void>
  /** Resolves when it and all that it forked are dead. */
  readonly dead: Promise<void>
  forks = 0
  #child: ChildProcess
  #options: ZygoteOptions
  #init: number | undefined
  #guests = new Map<number, ForkedGuest>()
  #output = ''
  #isDead = false
  #isRetired = false
  #resolveListening: () => void = () => {}

  constructor(options: ZygoteOptions) {
    this.#options = options
    const { folder, users } = options
    const command = buildZygoteCommand({ ...options, user: users?.own })
    this.#child = spawnZygote(folder, command.argv)
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

  /** Whether each run has a user of its own, and not a namespace of users. */
  get assignsRunUids(): boolean {
    return this.#options.users !== undefined
  }

  get isDead(): boolean {
    return this.#isDead
  }

  /** Ends it as soon as nothing that it forked is left. */
  retire(): void {
    this.#isRetired = true
    if (this.#guests.size === 0) this.kill()
  }

  /** Asks for a process of a run. */
  fork(kind: GuestKind): ForkedGuest {
    this.forks += 1
    const number = (this.forks | KIND_BITS[kind]) >>> 0
    const leaf = new ForkedGuest({ kind, killZygote: () => this.kill() })
    this.#guests.set(number, leaf)
    if (this.#isDead) this.#onForkExited(number)
    else childStream(this.#child, ZYGOTE_FDS.host).write(encodeUint32(number))
    return leaf
  }

  /** Ends it and all that it forked. */
  kill(): void {
    if (this.#isDead) return
    if (this.#init !== undefined) killProcess(this.#init)
    // What is left of the two around it has nothing to wait for.
    childStream(this.#child, ZYGOTE_FDS.host).destroy()
    setTimeout(() => this.#isDead || this.#child.kill('SIGKILL'), START_MS).unref()
  }

  async #waitUntilListening(listening: Promise<void>): Promise<void> {
    const late = setTimeout(() => this.kill(), START_MS)
    try {
      const init = await Promise.race([this.#readInit(), this.dead])
      if (init !== undefined) await Promise.race([listening, this.dead])
    } catch (error) {
      this.kill()
      throw error
    } finally {
      clearTimeout(late)
    }
    if (this.#isDead) throw new Error(this.#output.trim() || 'it ended without a word')
  }

  /** bwrap waits for the users that it may be: only root can hand out more than one. */
  async #readInit(): Promise<number> {
    const { users } = this.#options
    const init = await readInitPid(childStream(this.#child, ZYGOTE_FDS.info))
    this.#init = init
    if (users) mapUsers(init, users)
    childStream(this.#child, ZYGOTE_FDS.mapped).end('1')
    return init
  }

  #sendConfiguration(): void {
    const { folder, interpreter, users, filter } = this.#options
    const config = Buffer.from(
      JSON.stringify({
        user: users?.own ?? ORDINARY_UID,
        users: users?.first ?? null,
        filter: filter.toString('hex'),
        base: planBaseMounts(folder, interpreter),
      }),
    )
    childStream(this.#child, ZYGOTE_FDS.host).write(
      Buffer.concat([encodeUint32(config.length), config]),
    )
  }

  #writeArguments(fd: number, words: readonly string[]): void {
    const to: Writable = childStream(this.#child, fd)
    to.end(words.map((word) => `${word}\0`).join(''))
  }

  #readOutput(folder: ZygoteFolder): Promise<void> {
    let text = ''
    childStream(this.#child, ZYGOTE_FDS.host).on('data', (chunk: Buffer) => {
      const lines = (text + chunk.toString('utf8')).split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) this.#onMessage(JSON.parse(line) as ZygoteMessage)
    })
    for (const fd of [1, 2]) {
      childStream(this.#child, fd).on('data', (chunk: Buffer) => {
        this.#output = (this.#output + chunk.toString('utf8')).slice(-MAX_OUTPUT_CHARS)
      })
    }
    return this.#waitForExit(folder)
  }

  /** bwrap ends when all of it is dead, unless somebody ended bwrap. */
  async #waitForExit(folder: ZygoteFolder): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#child.once('error', () => resolve())
      this.#child.once('exit', () => resolve())
    })
    killOrphans()
    while (this.#init !== undefined && isZygoteAlive(this.#init)) {
      childStream(this.#child, ZYGOTE_FDS.host).destroy()
      await sleep(POLL_MS)
    }
    // What it said last may still be unread.
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
    ...words
  }: ZygoteMessage): void {
    if (listening) this.#resolveListening()
    if (why !== undefined) this.#output = why
    if (made !== undefined) this.#guests.get(made)?.onForked(this.#locateFork(made, pid))
    if (ended !== undefined)
      this.#guests.get(ended)?.onExit({ ...decodeWaitStatus(status), ...words })
    if (dead !== undefined) this.#onForkExited(dead)
  }

  #locateFork(number: number, inside: number): ListeningFork | undefined {
    const init = this.#init ?? 0
    // Beside a program it is the first process of its namespace, elsewhere another one is.
    const own = number >= KIND_BITS.program ? 1 : 2
    const pid = findChildPid(init, inside, own)
    const door = `/proc/${init}/root/door/${number}`
    return pid === undefined ? undefined : { pid, socketPath: door }
  }

  #onForkExited(number: number): void {
    const leaf = this.#guests.get(number)
    this.#guests.delete(number)
    leaf?.onDead()
    if (this.#isRetired && this.#guests.size === 0) this.kill()
  }
}

function spawnZygote(folder: ZygoteFolder, words: readonly string[]): ChildProcess {
  try {
    return spawnGuest(words, {
      env: {},
      cwd: '/',
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
    })
  } catch (error) {
    folder.remove()
    throw error
  }
}

/** The zygote's own number, those of runs, and one that nobody is for what asks for an owner 0. */
function mapUsers(init: number, { own, first, count }: ZygoteUsers): void {
  const lines = [`0 ${first + count} 1`, `${own} ${own} 1`, `${first} ${first} ${count}`]
  for (const map of ['gid_map', 'uid_map']) {
    writeFileSync(`/proc/${init}/${map}`, `${lines.join('\n')}\n`)
  }
  if (!readFileSync(`/proc/${init}/uid_map`, 'utf8').includes(String(first))) {
    throw new Error('its users could not be set')
  }
}

function isZygoteAlive(pid: number): boolean {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0')
    return words.includes('/guest/zygote.py')
  } catch {
    return false
  }
}

/** As the kernel tells it to who waited. */
function decodeWaitStatus(status: number): Pick<ExitReport, 'exit' | 'signal'> {
  const signal = status & 0x7f
  return signal === 0 ? { exit: status >> 8, signal: null } : { exit: null, signal }
}
