import { takeInTime } from './take-in-time.ts'

/** Time between two reads. */
const PAUSE_MS = 1000
/** A read that takes longer is repeated: it may have been lost. */
const READ_MS = 1000
/** Streams that take longer to answer are away. */
const AWAY_MS = 300

/**
 * Reads the streams again and again. An engine whose disk is full, or which has lost too many of its
 * servers, answers and delivers messages, while its streams are silent.
 */
export class StreamsProbe {
  #read: () => Promise<true>
  #silentSince: number | undefined
  #isStopped = false

  /** `read` throws if the streams did not answer. */
  constructor(read: () => Promise<true>) {
    this.#read = read
    void this.#readAgain()
  }

  /** Milliseconds since the first read that was not answered; 0 while the streams answer. */
  get awayMs(): number {
    if (this.#silentSince === undefined) return 0
    const silentMs = performance.now() - this.#silentSince
    return silentMs > AWAY_MS ? silentMs : 0
  }

  stop(): void {
    this.#isStopped = true
  }

  /** Reads once: what was sent before the connection was lost has no answer. */
  async readNow(): Promise<void> {
    this.#silentSince ??= performance.now()
    const isAnswered = await takeInTime(this.#read(), READ_MS).catch(() => undefined)
    if (isAnswered) this.#silentSince = undefined
  }

  async #readAgain(): Promise<void> {
    while (!this.#isStopped) {
      await this.readNow()
      await new Promise<void>((done) => void setTimeout(done, PAUSE_MS).unref())
    }
  }
}
