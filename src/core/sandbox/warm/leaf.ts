import type { Socket } from 'node:net'
import type { LeafStep } from './zygote-arguments.ts'

/** The connections of a run, in the order that the zygote numbers them. */
export const WIRES = ['control', 'channel', 'stdout', 'stderr', 'stdin'] as const
/** A run with a fifth says so by its number. */
export const WITH_INPUT = 0x80000000

/** How long the zygote may take to tell of a death; then it is ended itself. */
const SILENT_MS = 2000

/** What the zygote forked. */
export interface Made {
  /** As the host numbers it. */
  pid: number
  user: number | undefined
}

/** A forked process that waits for its run, and then is the run's first process. */
export class Leaf {
  readonly control: Socket
  readonly channel: Socket
  readonly stdout: Socket
  readonly stderr: Socket
  readonly stdin: Socket | undefined
  /** Undefined where it came to nothing. */
  readonly made: Promise<Made | undefined>
  /** Resolves when all of its namespace is dead. */
  readonly dead: Promise<void>
  #resolveMade: (made: Made | undefined) => void = () => {}
  #resolveDead: () => void = () => {}
  #pid: number | undefined
  #isDead = false
  #isKilled = false
  #giveUp: () => void

  /** `giveUp` ends the zygote, which takes all that it forked along. */
  constructor(wires: readonly Socket[], giveUp: () => void) {
    const [control, channel, stdout, stderr, stdin] = wires
    this.control = control as Socket
    this.channel = channel as Socket
    this.stdout = stdout as Socket
    this.stderr = stderr as Socket
    this.stdin = stdin
    this.#giveUp = giveUp
    this.made = new Promise((resolve) => (this.#resolveMade = resolve))
    this.dead = new Promise((resolve) => (this.#resolveDead = resolve))
    // A connection that does not come about is never asked for again.
    for (const wire of wires) wire.once('error', () => this.#pid === undefined && this.isDead())
  }

  get hasEnded(): boolean {
    return this.#isDead
  }

  /** What it is to see, before it gives up the right to make that. */
  layOut(steps: readonly LeafStep[]): void {
    const body = Buffer.from(JSON.stringify(steps))
    const size = Buffer.alloc(4)
    size.writeUInt32BE(body.length)
    this.control.write(Buffer.concat([size, body]))
  }

  /** Ends it and all below it; until its number is known, as soon as it is. */
  kill(): void {
    if (this.#isDead || this.#isKilled) return
    this.#isKilled = true
    const late = setTimeout(() => this.#giveUp(), SILENT_MS)
    void this.dead.then(() => clearTimeout(late))
    if (this.#pid !== undefined) this.#end(this.#pid)
  }

  /** Closes its connections, where nobody follows them to their end. */
  destroy(): void {
    for (const name of WIRES) this[name]?.destroy()
  }

  /** The zygote has told of it. */
  isMade(made: Made | undefined): void {
    this.#pid = made?.pid
    if (this.#isKilled && made) this.#end(made.pid)
    this.#resolveMade(made)
  }

  isDead(): void {
    if (this.#isDead) return
    this.#isDead = true
    this.#resolveMade(undefined)
    this.#resolveDead()
  }

  #end(pid: number): void {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // Gone already.
    }
  }
}
