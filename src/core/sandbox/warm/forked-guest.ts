import { connect, type Socket } from 'node:net'
import type { ExitReport } from '../guest-host/control-channel.ts'
import { killProcess } from '../../../util/kill-process.ts'
import { encodeUint32 } from '../guest-host/encode-uint32.ts'
import type { GuestMountStep } from './zygote-arguments.ts'

/** The connections of a run, in the order that they are made. */
const STREAM_NAMES = ['control', 'channel', 'stdout', 'stderr', 'stdin'] as const

/** What a fork becomes: the process of a skill or of code, or the first one beside a program. */
export type GuestKind = 'code' | 'program' | 'program with input'

/** A fork is told by its number what it is for. */
export const KIND_BITS: Readonly<Record<GuestKind, number>> = {
  code: 0,
  program: 0x40000000,
  'program with input': 0xc0000000,
}

/** How long the zygote may take to tell of a death; then it is ended itself. */
const DEATH_REPORT_MS = 2000

/** What the zygote forked. */
export interface ForkedProcess {
  /** As the host numbers it. */
  pid: number
}

export interface ListeningFork extends ForkedProcess {
  /** The path of a socket that it takes its connections at. */
  socketPath: string
}

interface ForkedGuestOptions {
  kind: GuestKind
  /** Ends the zygote, which takes all that it forked along. */
  killZygote(): void
}

/** A forked process that waits for its run, and then is the run's own. */
export class ForkedGuest {
  /** Undefined where it came to nothing. */
  readonly forked: Promise<ForkedProcess | undefined>
  /** Resolves when all of its namespace is dead. */
  readonly dead: Promise<void>
  #streams: Socket[] = []
  #options: ForkedGuestOptions
  #resolveForked: (made: ForkedProcess | undefined) => void = () => {}
  #resolveDead: () => void = () => {}
  #pid: number | undefined
  #isDead = false
  #isKilled = false
  #exitReport: ExitReport | undefined

  constructor(options: ForkedGuestOptions) {
    this.#options = options
    this.forked = new Promise((resolve) => (this.#resolveForked = resolve))
    this.dead = new Promise((resolve) => (this.#resolveDead = resolve))
  }

  get control(): Socket {
    return this.#stream('control')
  }

  get channel(): Socket {
    return this.#stream('channel')
  }

  get stdout(): Socket {
    return this.#stream('stdout')
  }

  get stderr(): Socket {
    return this.#stream('stderr')
  }

  get stdin(): Socket | undefined {
    return this.#hasInput ? this.#stream('stdin') : undefined
  }

  get #hasInput(): boolean {
    return this.#options.kind === 'program with input'
  }

  /** How it ended, as the zygote told it; nothing of one that was ended from here. */
  get exitReport(): ExitReport | undefined {
    return this.#isKilled ? undefined : this.#exitReport
  }

  /** What it is to see, before it gives up the right to make that; sent at once, or with the job. */
  sendMountPlan(steps: readonly GuestMountStep[], { isWithJob }: { isWithJob: boolean }): void {
    const body = Buffer.from(JSON.stringify(steps))
    if (isWithJob) this.control.cork()
    this.control.write(Buffer.concat([encodeUint32(body.length), body]))
  }

  /** Ends it and all below it; until its number is known, as soon as it is. */
  kill(): void {
    if (this.#isDead || this.#isKilled) return
    this.#isKilled = true
    const late = setTimeout(() => this.#options.killZygote(), DEATH_REPORT_MS)
    void this.dead.then(() => clearTimeout(late))
    if (this.#pid !== undefined) killProcess(this.#pid)
  }

  /** Closes its connections, where nobody follows them to their end. */
  destroy(): void {
    for (const wire of this.#streams) wire.destroy()
  }

  /** The zygote has told of it. */
  onForked(forked: ListeningFork | undefined): void {
    this.#pid = forked?.pid
    if (this.#isKilled && forked) killProcess(forked.pid)
    else if (forked) this.#connect(forked.socketPath)
    this.#resolveForked(forked)
  }

  onExit(words: ExitReport): void {
    this.#exitReport = words
  }

  onDead(): void {
    if (this.#isDead) return
    this.#isDead = true
    this.#resolveForked(undefined)
    this.#resolveDead()
  }

  /** It takes them in the order in which they are asked for, which is here, in one go. */
  #connect(door: string): void {
    const count = this.#hasInput ? STREAM_NAMES.length : STREAM_NAMES.length - 1
    this.#streams = Array.from({ length: count }, () => connect(door))
    // One that lacks a connection waits for it for ever.
    for (const wire of this.#streams) {
      wire.on('error', ({ syscall }: NodeJS.ErrnoException) => syscall === 'connect' && this.kill())
    }
  }

  #stream(name: (typeof STREAM_NAMES)[number]): Socket {
    return this.#streams[STREAM_NAMES.indexOf(name)] as Socket
  }
}
