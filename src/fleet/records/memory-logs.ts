import { LogMeter } from '../../core/runs/history/log-meter.ts'
import type { LogMap, LogSource } from '../../core/runs/history/log-pieces.ts'
import type { RecordedLogs } from '../../core/runs/history/run-record.ts'

const FIRST_BYTES = 4096

/** Logs of an active run, in memory up to their limit. */
export class MemoryLogs {
  #meter: LogMeter
  /** Grows by doubling: many short pieces as buffers of their own would need more memory. */
  #content: Buffer = Buffer.alloc(0)
  #size = 0

  constructor(maxBytes: number) {
    this.#meter = new LogMeter(maxBytes)
  }

  add(piece: Uint8Array | string, source: LogSource): void {
    const kept = this.#meter.add(toBuffer(piece), source)
    const size = this.#size + kept.length
    if (size > this.#content.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(size, this.#content.length * 2, FIRST_BYTES))
      this.#content.copy(grown, 0, 0, this.#size)
      this.#content = grown
    }
    kept.copy(this.#content, this.#size)
    this.#size = size
  }

  describe(): RecordedLogs {
    return this.#meter.describe()
  }

  /** The logs so far, from an offset. Their bytes do not change later. */
  read(offset = 0): Buffer {
    return this.#content.subarray(Math.min(offset, this.#size), this.#size)
  }

  end(): { logs: Buffer; map: LogMap } {
    return { logs: this.read(), map: this.#meter.end() }
  }
}

function toBuffer(piece: Uint8Array | string): Buffer {
  if (typeof piece === 'string') return Buffer.from(piece)
  return Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
}
