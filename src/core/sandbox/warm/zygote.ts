import type { ChildProcess } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import type { Writable } from 'node:stream'
import type { Interpreter } from '../backend.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { streamOf } from '../guest-host/child-streams.ts'
import { firstProcess } from '../bubblewrap/first-process.ts'
import { killProcess } from '../../../util/kill-process.ts'
import { endOrphans } from '../bubblewrap/orphans.ts'
import { spawnGuest } from '../guest-host/spawn-guest.ts'
import { unsigned } from '../guest-host/unsigned.ts'
import type { LastWords } from '../guest-host/control-channel.ts'
import { childNumbered } from './child-numbered.ts'
import { KIND_BITS, Leaf, type Forked, type LeafKind } from './leaf.ts'
import { baseSteps, ORDINARY_USER, ZYGOTE_FDS, zygoteCommand } from './zygote-arguments.ts'
import type { SeenFolder } from './tool-folders.ts'
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
  seen: readonly SeenFolder[]
  /** Of runs, where root starts them. */
  users: ZygoteUsers | undefined
  /** The filter of every run, as the kernel reads it. */
  filter: Buffer
}

const LOOK_MS = 20
const START_MS = 10_000
/** What it says in its defence is kept up to here. */
const MOST_SAID = 4000

/** What the zygote says, one line each. */
interface Word {
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
  #leaves = new Map<number, Leaf>()
  #said = ''
  #isDead = false
  #isRetired = false
  #isListening: () => void = () => {}

  constructor(options: ZygoteOptions) {
    this.#options = options
    const { folder, users } = options
    const command = zygoteCommand({ ...options, user: users?.own })
    this.#child = startIn(folder, command.words)
    this.dead = this.#follow(folder)
    const listening = new Promise<void>((resolve) => (this.#isListening = resolve))
    this.ready = this.#start(listening)
    this.ready.catch(() => {})
    this.#tell(ZYGOTE_FDS.args, command.args)
    this.#tell(ZYGOTE_FDS.outerArgs, command.outerArgs)
    this.#configure()
  }

  get pid(): number | undefined {
    return this.#init
  }

  /** Whether each run has a user of its own, and not a namespace of users. */
  get handsOutUsers(): boolean {
    return this.#options.users !== undefined
  }

  get isDead(): boolean {
    return this.#isDead
  }

  /** Ends it as soon as nothing that it forked is left. */
  retire(): void {
    this.#isRetired = true
    if (this.#leaves.size === 0) this.kill()
  }

  /** Asks for a process of a run. */
  fork(kind: LeafKind): Leaf {
    this.forks += 1
    const number = (this.forks | KIND_BITS[kind]) >>> 0
    const leaf = new Leaf({ kind, giveUp: () => this.kill() })
    this.#leaves.set(number, leaf)
    if (this.#isDead) this.#bury(number)
    else streamOf(this.#child, ZYGOTE_FDS.host).write(unsigned(number))
    return leaf
  }

  /** Ends it and all that it forked. */
  kill(): void {
    if (this.#isDead) return
    if (this.#init !== undefined) killProcess(this.#init)
    // What is left of the two around it has nothing to wait for.
    streamOf(this.#child, ZYGOTE_FDS.host).destroy()
    setTimeout(() => this.#isDead || this.#child.kill('SIGKILL'), START_MS).unref()
  }

  async #start(listening: Promise<void>): Promise<void> {
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
    if (this.#isDead) throw new Error(this.#said.trim() || 'it ended without a word')
  }

  /** bwrap waits for the users that it may be: only root can hand out more than one. */
  async #readInit(): Promise<number> {
    const { users } = this.#options
    const init = await firstProcess(streamOf(this.#child, ZYGOTE_FDS.info))
    this.#init = init
    if (users) mapUsers(init, users)
    streamOf(this.#child, ZYGOTE_FDS.mapped).end('1')
    return init
  }

  #configure(): void {
    const { folder, interpreter, users, filter } = this.#options
    const config = Buffer.from(
      JSON.stringify({
        user: users?.own ?? ORDINARY_USER,
        users: users?.first ?? null,
        filter: filter.toString('hex'),
        base: baseSteps(folder, interpreter),
      }),
    )
    streamOf(this.#child, ZYGOTE_FDS.host).write(Buffer.concat([unsigned(config.length), config]))
  }

  #tell(fd: number, words: readonly string[]): void {
    const to: Writable = streamOf(this.#child, fd)
    to.end(words.map((word) => `${word}\0`).join(''))
  }

  #follow(folder: ZygoteFolder): Promise<void> {
    let text = ''
    streamOf(this.#child, ZYGOTE_FDS.host).on('data', (chunk: Buffer) => {
      const lines = (text + chunk.toString('utf8')).split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) this.#hear(JSON.parse(line) as Word)
    })
    for (const fd of [1, 2]) {
      streamOf(this.#child, fd).on('data', (chunk: Buffer) => {
        this.#said = (this.#said + chunk.toString('utf8')).slice(-MOST_SAID)
      })
    }
    return this.#end(folder)
  }

  /** bwrap ends when all of it is dead, unless somebody ended bwrap. */
  async #end(folder: ZygoteFolder): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#child.once('error', () => resolve())
      this.#child.once('exit', () => resolve())
    })
    endOrphans()
    while (this.#init !== undefined && isAlive(this.#init)) {
      streamOf(this.#child, ZYGOTE_FDS.host).destroy()
      await sleep(LOOK_MS)
    }
    // What it said last may still be unread.
    await sleep(LOOK_MS)
    this.#isDead = true
    for (const number of this.#leaves.keys()) this.#bury(number)
    for (const each of this.#child.stdio) each?.destroy()
    folder.remove()
  }

  #hear({ listening, made, pid = 0, ended, status = 0, dead, why, ...words }: Word): void {
    if (listening) this.#isListening()
    if (why !== undefined) this.#said = why
    if (made !== undefined) this.#leaves.get(made)?.isMade(this.#forked(made, pid))
    if (ended !== undefined) this.#leaves.get(ended)?.hasEnded({ ...endOf(status), ...words })
    if (dead !== undefined) this.#bury(dead)
  }

  #forked(number: number, inside: number): Forked | undefined {
    const init = this.#init ?? 0
    // Beside a program it is the first process of its namespace, elsewhere another one is.
    const own = number >= KIND_BITS.program ? 1 : 2
    const pid = childNumbered(init, inside, own)
    const door = `/proc/${init}/root/door/${number}`
    return pid === undefined ? undefined : { pid, door }
  }

  #bury(number: number): void {
    const leaf = this.#leaves.get(number)
    this.#leaves.delete(number)
    leaf?.isDead()
    if (this.#isRetired && this.#leaves.size === 0) this.kill()
  }
}

function startIn(folder: ZygoteFolder, words: readonly string[]): ChildProcess {
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

function isAlive(pid: number): boolean {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0')
    return words.includes('/guest/zygote.py')
  } catch {
    return false
  }
}

/** As the kernel tells it to who waited. */
function endOf(status: number): Pick<LastWords, 'exit' | 'signal'> {
  const signal = status & 0x7f
  return signal === 0 ? { exit: status >> 8, signal: null } : { exit: null, signal }
}
