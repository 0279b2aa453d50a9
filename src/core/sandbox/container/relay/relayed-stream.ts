import { Duplex } from 'node:stream'
import { FIRST_CONNECTION, OPCODES } from './frames.ts'

const WINDOW = 256 * 1024
const CONNECTION_WINDOW = 64 * 1024
const MAX_DATA = 64 * 1024

/** Sends a frame of a stream. */
export type SendFrame = (opcode: number, stream: number, content?: Buffer) => void

/** One stream through the relay. Neither side sends more than the other one granted. */
export class RelayedStream extends Duplex {
  /** Address inside that a process connected to. */
  readonly localAddress: string | undefined
  #number: number
  #send: SendFrame
  #onClose: () => void
  /** Bytes that the guest may still send. */
  #window: number
  #unread = 0
  /** Bytes that this side may still send. */
  #credit: number
  #pending: Buffer | undefined
  #onSent: (() => void) | undefined
  #hasEnded = false
  #isReset = false
  #isLost = false
  #idleTimer: NodeJS.Timeout | undefined
  #idleMs = 0

  constructor(number: number, { send, onClose, localAddress }: RelayedStreamOptions) {
    super({ allowHalfOpen: true, readableHighWaterMark: MAX_DATA })
    this.#number = number
    this.#send = send
    this.#onClose = onClose
    this.localAddress = localAddress
    this.#window = this.#credit = number < FIRST_CONNECTION ? WINDOW : CONNECTION_WINDOW
    // The outcome of a run is known from other sources.
    this.on('error', () => {})
  }

  /** Throws if the guest exceeds its window. */
  receiveData(content: Buffer): void {
    if (content.length > this.#window) throw new Error('a stream exceeds its window')
    this.#window -= content.length
    this.#unread += content.length
    this.#restartTimer()
    // The frame's buffer is shared with others, which it would keep in memory.
    if (!this.destroyed && !this.#hasEnded) this.push(Buffer.from(content))
  }

  receiveCredit(content: Buffer): void {
    this.#credit += content.readUInt32BE(0)
    this.#restartTimer()
    this.#flush()
  }

  receiveEnd(): void {
    if (this.#hasEnded || this.destroyed) return
    this.#hasEnded = true
    this.push(null)
  }

  /** The guest is gone: bytes that wait for its credit, and later ones, are dropped. */
  receiveLoss(): void {
    this.receiveEnd()
    this.#isLost = true
    this.#flush()
    this.end()
  }

  receiveReset(): void {
    this.#isReset = true
    this.destroy()
  }

  /** Emits `timeout` after this time without data; 0 never does. */
  setTimeout(idleMs: number, listener?: () => void): this {
    this.#idleMs = idleMs
    if (listener) this.once('timeout', listener)
    this.#restartTimer()
    return this
  }

  /** Frames are sent at once. */
  setNoDelay(): this {
    return this
  }

  override _read(): void {
    if (this.#unread === 0) return
    const used = Buffer.alloc(4)
    used.writeUInt32BE(this.#unread)
    this.#window += this.#unread
    this.#unread = 0
    this.#send(OPCODES.credit, this.#number, used)
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#pending = chunk
    this.#onSent = done
    this.#restartTimer()
    this.#flush()
  }

  override _final(done: () => void): void {
    this.#send(OPCODES.end, this.#number)
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#idleTimer)
    const isOver = this.#isReset || (this.#hasEnded && this.writableFinished)
    if (!isOver) this.#send(OPCODES.reset, this.#number)
    this.#onClose()
    done(error)
  }

  #flush(): void {
    if (this.#isLost) this.#pending = undefined
    while (this.#pending && this.#credit > 0) {
      const part = this.#pending.subarray(0, Math.min(this.#credit, MAX_DATA))
      this.#credit -= part.length
      this.#send(OPCODES.data, this.#number, part)
      this.#pending =
        part.length < this.#pending.length ? this.#pending.subarray(part.length) : undefined
    }
    if (this.#pending) return
    const done = this.#onSent
    this.#onSent = undefined
    done?.()
  }

  #restartTimer(): void {
    clearTimeout(this.#idleTimer)
    if (this.#idleMs === 0 || this.destroyed) return
    this.#idleTimer = setTimeout(() => this.emit('timeout'), this.#idleMs).unref()
  }
}

export interface RelayedStreamOptions {
  send: SendFrame
  onClose: () => void
  localAddress?: string | undefined
}
