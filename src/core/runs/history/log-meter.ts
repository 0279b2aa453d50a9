import { RunningHash } from '../../../util/running-hash.ts'
import { LogMapper, type LogMap, type LogSource } from './log-pieces.ts'
import type { RecordedLogs } from './run-record.ts'

/** Truncates the logs of one run at their limit, and counts, hashes and maps what remains. */
export class LogMeter {
  #maxBytes: number
  #hash = new RunningHash()
  #map = new LogMapper()
  #size = 0
  #keptBytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Returns the part of a piece that is within the limit. */
  add(piece: Buffer, source: LogSource): Buffer {
    this.#size += piece.length
    const kept = piece.subarray(0, this.#maxBytes - this.#keptBytes)
    if (kept.length === 0) return kept
    this.#keptBytes += kept.length
    this.#hash.update(kept)
    this.#map.add(source, kept)
    return kept
  }

  /** Size and digest of the logs so far. */
  describe(): RecordedLogs {
    const digest = `sha256:${this.#hash.hex()}`
    return { size_bytes: this.#size, kept_bytes: this.#keptBytes, digest }
  }

  /** Returns the map of all pieces. */
  end(): LogMap {
    return this.#map.end()
  }
}
