import type { Duplex } from 'node:stream'
import type { PlainObject } from '../../skills/manifest/manifest.ts'
import type { SandboxNetwork } from '../network.ts'
import { encodeUint32 } from './encode-uint32.ts'

/** What the guest becomes: another user, nobody else, or not even confined. */
export type GuestIdentity = { user: number } | 'itself' | 'unconfined'

/** Sockets that are to be bound follow, then who to become. */
const LISTEN_OPCODE = 0xfffffffd
const LISTENER_CODES = { proxy: 0, direct: 1, names: 2 }
const IDENTITY_CODES = { itself: 0xffffffff, unconfined: 0xfffffffe }

/** Who the guest is inside, as the kernel told it. */
export interface ReadyGuest {
  uid: number
}

/** What the guest's first process said about its end, as far as it came to that. */
export interface ExitReport {
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
  readonly ready: Promise<ReadyGuest>
  exitReport: ExitReport = {}
  #socket: Duplex
  /** Who asked whether the program waits for input. */
  #pendingWaitQueries: ((printed: number | null) => void)[] = []

  constructor(wire: Duplex) {
    this.#socket = wire
    let isUp: () => void
    let isReady: (inside: ReadyGuest) => void
    this.up = new Promise((resolve) => (isUp = resolve))
    this.ready = new Promise((resolve) => (isReady = resolve))
    wire.once('close', () => {
      for (const answer of this.#pendingWaitQueries.splice(0)) answer(null)
    })
    let text = ''
    wire.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8')
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) {
        const message = parseControlLine(line)
        if (message.up) isUp()
        else if (message.ready) isReady(message.ready)
        else if (message.waits_after !== undefined)
          this.#pendingWaitQueries.shift()?.(message.waits_after)
        else this.exitReport = { ...this.exitReport, ...message }
      }
    })
  }

  /** Asks for sockets while there is still the right to bind them. */
  requestListeners({
    listeners,
    addresses,
  }: Pick<SandboxNetwork, 'listeners' | 'addresses'>): void {
    const words = listeners.flatMap(({ kind, port }) => [LISTENER_CODES[kind], port])
    const numbers = addresses.map((address) =>
      Buffer.from(address.split('.').map(Number)).readUInt32BE(),
    )
    const all = [LISTEN_OPCODE, listeners.length, ...words, numbers.length, ...numbers]
    for (const word of all) this.#socket.write(encodeUint32(word))
  }

  setIdentity(who: GuestIdentity): void {
    this.#socket.write(encodeUint32(typeof who === 'string' ? IDENTITY_CODES[who] : who.user))
  }

  sendJob(job: PlainObject): void {
    const body = Buffer.from(JSON.stringify(job))
    this.#socket.write(Buffer.concat([encodeUint32(body.length), body]))
    // Of a fork that was told before what to lay out: it is woken once.
    this.#socket.uncork()
  }

  /** What follows is for programs, once they run. */
  resize(columns: number, rows: number): void {
    const word = Buffer.alloc(5, 'R')
    word.writeUInt16BE(columns, 1)
    word.writeUInt16BE(rows, 3)
    this.#writeCommand(word)
  }

  signal(number: number): void {
    this.#writeCommand(Buffer.from([...Buffer.from('S'), number]))
  }

  /** How many bytes the program had printed when it began to wait; null where it does not. */
  waitsAfter(): Promise<number | null> {
    if (!this.#socket.writable) return Promise.resolve(null)
    return new Promise((resolve) => {
      this.#pendingWaitQueries.push(resolve)
      this.#writeCommand(Buffer.from('W'))
    })
  }

  #writeCommand(word: Buffer): void {
    if (this.#socket.writable) this.#socket.write(word)
  }
}

/** Where nothing isolates, somebody else may have got hold of the other end. */
function parseControlLine(
  line: string,
): ExitReport & { up?: true; ready?: ReadyGuest; waits_after?: number | null } {
  try {
    return Object(JSON.parse(line)) as ExitReport
  } catch {
    return { failure: 'something else than the guest spoke for it' }
  }
}
