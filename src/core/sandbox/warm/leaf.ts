import { connect, type Socket } from 'node:net'
import type { LastWords } from '../guest-host/control-channel.ts'
import { killProcess } from '../../../util/kill-process.ts'
import { unsigned } from '../guest-host/unsigned.ts'
import type { LeafStep } from './zygote-arguments.ts'

/** The connections of a run, in the order that they are made. */
const WIRES = ['control', 'channel', 'stdout', 'stderr', 'stdin'] as const

/** What a fork becomes: the process of a skill or of code, or the first one beside a program. */
export type LeafKind = 'code' | 'program' | 'program with input'

/** A fork is told by its number what it is for. */
export const KIND_BITS: Readonly<Record<LeafKind, number>> = {
  code: 0,
  program: 0x40000000,
  'program with input': 0xc0000000,
}

/** How long the zygote may take to tell of a death; then it is ended itself. */
const SILENT_MS = 2000

/** What the zygote forked. */
export interface Made {
  /** As the host numbers it. */
  pid: number
}

export interface Forked extends Made {
  /** The path of a socket that it takes its connections at. */
  door: string
}

interface LeafOptions {
  kind: LeafKind
  /** Ends the zygote, which takes all that it forked along. */
  giveUp(): void
}

/** A forked process that waits for its run, and then is the run's own. */
export class Leaf {
  /** Undefined where it came to nothing. */
  readonly made: Promise<Made | undefined>
  /** Resolves when all of its namespace is dead. */
  readonly dead: Promise<void>
  #wires: Socket[] = []
  #options: LeafOptions
  #resolveMade: (made: Made | undefined) => void = () => {}
  #resolveDead: () => void = () => {}
  #pid: number | undefined
  #isDead = false
  #isKilled = false
  #lastWords: LastWords | undefined

  constructor(options: LeafOptions) {
    this.#options = options
    this.made = new Promise((resolve) => (this.#resolveMade = resolve))
    this.dead = new Promise((resolve) => (this.#resolveDead = resolve))
  }

  get control(): Socket {
    return this.#wire('control')
  }

  get channel(): Socket {
    return this.#wire('channel')
  }

  get stdout(): Socket {
    return this.#wire('stdout')
  }

  get stderr(): Socket {
    return this.#wire('stderr')
  }

  get stdin(): Socket | undefined {
    return this.#hasInput ? this.#wire('stdin') : undefined
  }

  get #hasInput(): boolean {
    return this.#options.kind === 'program with input'
  }

  /** How it ended, as the zygote told it; nothing of one that was ended from here. */
  get lastWords(): LastWords | undefined {
    return this.#isKilled ? undefined : this.#lastWords
  }

  /** What it is to see, before it gives up the right to make that; sent at once, or with the job. */
  layOut(steps: readonly LeafStep[], { isWithJob }: { isWithJob: boolean }): void {
    const body = Buffer.from(JSON.stringify(steps))
    if (isWithJob) this.control.cork()
    this.control.write(Buffer.concat([unsigned(body.length), body]))
  }

  /** Ends it and all below it; until its number is known, as soon as it is. */
  kill(): void {
    if (this.#isDead || this.#isKilled) return
    this.#isKilled = true
    const late = setTimeout(() => this.#options.giveUp(), SILENT_MS)
    void this.dead.then(() => clearTimeout(late))
    if (this.#pid !== undefined) killProcess(this.#pid)
  }

  /** Closes its connections, where nobody follows them to their end. */
  destroy(): void {
    for (const wire of this.#wires) wire.destroy()
  }

  /** The zygote has told of it. */
  isMade(forked: Forked | undefined): void {
    this.#pid = forked?.pid
    if (this.#isKilled && forked) killProcess(forked.pid)
    else if (forked) this.#connect(forked.door)
    this.#resolveMade(forked)
  }

  hasEnded(words: LastWords): void {
    this.#lastWords = words
  }

  isDead(): void {
    if (this.#isDead) return
    this.#isDead = true
    this.#resolveMade(undefined)
    this.#resolveDead()
  }

  /** It takes them in the order in which they are asked for, which is here, in one go. */
  #connect(door: string): void {
    const count = this.#hasInput ? WIRES.length : WIRES.length - 1
    this.#wires = Array.from({ length: count }, () => connect(door))
    // One that lacks a connection waits for it for ever.
    for (const wire of this.#wires) {
      wire.on('error', ({ syscall }: NodeJS.ErrnoException) => syscall === 'connect' && this.kill())
    }
  }

  #wire(name: (typeof WIRES)[number]): Socket {
    return this.#wires[WIRES.indexOf(name)] as Socket
  }
}
