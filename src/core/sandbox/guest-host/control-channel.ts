import type { Duplex } from 'node:stream'
import type { PlainObject } from '../../skills/manifest/manifest.ts'
import type { SandboxNetwork } from '../network.ts'
import { unsigned } from './unsigned.ts'

/** What the guest becomes: another user, nobody else, or not even confined. */
export type Becomes = { user: number } | 'itself' | 'unconfined'

/** Sockets that are to be bound follow, then who to become. */
const LISTEN = 0xfffffffd
const KINDS = { proxy: 0, direct: 1, names: 2 }
const WORDS = { itself: 0xffffffff, unconfined: 0xfffffffe }

/** Who the guest is inside, as the kernel told it. */
export interface Inside {
  uid: number
}

/** What the guest's first process said about its end, as far as it came to that. */
export interface LastWords {
  exit?: number | null
  signal?: number | null
  /** Processor time of the skill's process and those that it waited for. */
  cpu_ms?: number
  failure?: string
  /** Why a program was never started: at which step, and the kernel's name of the error. */
  not_started?: { step: string; error: string }
}

/** The talk with the guest's first process, on a descriptor that user code never holds. */
export class ControlChannel {
  /** The guest runs and has given up every right. */
  readonly up: Promise<void>
  /** The job has arrived. */
  readonly ready: Promise<Inside>
  told: LastWords = {}
  #wire: Duplex
  /** Who asked whether the program waits for input. */
  #asking: ((printed: number | null) => void)[] = []

  constructor(wire: Duplex) {
    this.#wire = wire
    let isUp: () => void
    let isReady: (inside: Inside) => void
    this.up = new Promise((resolve) => (isUp = resolve))
    this.ready = new Promise((resolve) => (isReady = resolve))
    wire.once('close', () => {
      for (const answer of this.#asking.splice(0)) answer(null)
    })
    let text = ''
    wire.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8')
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) {
        const message = readLine(line)
        if (message.up) isUp()
        else if (message.ready) isReady(message.ready)
        else if (message.waits_after !== undefined) this.#asking.shift()?.(message.waits_after)
        else this.told = { ...this.told, ...message }
      }
    })
  }

  /** Asks for sockets while there is still the right to bind them. */
  listen({ listeners, addresses }: Pick<SandboxNetwork, 'listeners' | 'addresses'>): void {
    const words = listeners.flatMap(({ kind, port }) => [KINDS[kind], port])
    const numbers = addresses.map((address) =>
      Buffer.from(address.split('.').map(Number)).readUInt32BE(),
    )
    const all = [LISTEN, listeners.length, ...words, numbers.length, ...numbers]
    for (const word of all) this.#wire.write(unsigned(word))
  }

  become(who: Becomes): void {
    this.#wire.write(unsigned(typeof who === 'string' ? WORDS[who] : who.user))
  }

  handOver(job: PlainObject): void {
    const body = Buffer.from(JSON.stringify(job))
    this.#wire.write(Buffer.concat([unsigned(body.length), body]))
    // Of a fork that was told before what to lay out: it is woken once.
    this.#wire.uncork()
  }

  /** What follows is for programs, once they run. */
  resize(columns: number, rows: number): void {
    const word = Buffer.alloc(5, 'R')
    word.writeUInt16BE(columns, 1)
    word.writeUInt16BE(rows, 3)
    this.#tell(word)
  }

  signal(number: number): void {
    this.#tell(Buffer.from([...Buffer.from('S'), number]))
  }

  /** How many bytes the program had printed when it began to wait; null where it does not. */
  waitsAfter(): Promise<number | null> {
    if (!this.#wire.writable) return Promise.resolve(null)
    return new Promise((resolve) => {
      this.#asking.push(resolve)
      this.#tell(Buffer.from('W'))
    })
  }

  #tell(word: Buffer): void {
    if (this.#wire.writable) this.#wire.write(word)
  }
}

/** Where nothing isolates, somebody else may have got hold of the other end. */
function readLine(
  line: string,
): LastWords & { up?: true; ready?: Inside; waits_after?: number | null } {
  try {
    return Object(JSON.parse(line)) as LastWords
  } catch {
    return { failure: 'something else than the guest spoke for it' }
  }
}
