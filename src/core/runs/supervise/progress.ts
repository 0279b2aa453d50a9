import { toPrintable } from '../../../util/printable.ts'
import { BrokenChannelError, parseFrameObject, type Frame } from '../protocol/frames.ts'
import type { Redactor } from '../redaction/redact.ts'
import type { ProgressReport } from '../run-call.ts'
import type { OutputMeter } from './output-meter.ts'

/** Half of the interval of the harness, which therefore never exceeds the rate. */
const MIN_INTERVAL_MS = 50
const MAX_FRAME_BYTES = 8192
const MAX_MESSAGE_CHARS = 500

interface ProgressListeners {
  redactor: Redactor
  onProgress: ((report: ProgressReport) => void) | undefined
  /** Monotonic clock, in milliseconds. */
  now?: () => number
}

/** Passes on the progress of a run at a bounded rate. The latest report replaces waiting ones. */
export class RunProgress {
  #listeners: ProgressListeners
  #reportedAt = -Infinity
  #waiting: Frame | undefined

  constructor(listeners: ProgressListeners) {
    this.#listeners = listeners
  }

  /**
   * Receives a report. The harness keeps to the rate: more frequent frames come from code that
   * writes them itself, and count as output.
   */
  receive(frame: Frame, meter: Pick<OutputMeter, 'consume'>): void {
    if (frame.content.length > MAX_FRAME_BYTES) throw new BrokenChannelError()
    const now = (this.#listeners.now ?? (() => performance.now()))()
    if (now - this.#reportedAt < MIN_INTERVAL_MS) {
      meter.consume(frame.content.length)
      this.#waiting = frame
      return
    }
    this.#reportedAt = now
    this.#waiting = undefined
    this.#report(frame)
  }

  /** Passes on the last report. */
  finish(): void {
    if (this.#waiting) this.#report(this.#waiting)
    this.#waiting = undefined
  }

  #report(frame: Frame): void {
    const { done, total, message } = parseFrameObject(frame)
    if (!isAmount(done) || !isAmount(total) || done > total) throw new BrokenChannelError()
    if (message !== undefined && typeof message !== 'string') throw new BrokenChannelError()
    const { redactor, onProgress } = this.#listeners
    const text = message && toPrintable(redactor.cutText(message)).slice(0, MAX_MESSAGE_CHARS)
    onProgress?.({ done, total, ...(text && { message: text }) })
  }
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}
