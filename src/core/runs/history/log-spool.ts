import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { LogMeter } from './log-meter.ts'
import type { LogMap, LogSource } from './log-pieces.ts'
import type { RecordedLogs } from './run-record.ts'

/** Bytes in memory before the logs are written to a file. */
export const MAX_BUFFERED_BYTES = 32 * 1024

/** Logs of one run: in memory while they are short, then in a file. */
export class LogSpool {
  #path: string
  #maxBuffered: number
  #meter: LogMeter
  #buffered: Buffer[] = []
  #bufferedBytes = 0
  #fd: number | undefined
  #error: unknown

  constructor(path: string, maxBytes: number, maxBuffered: number) {
    this.#path = path
    this.#meter = new LogMeter(maxBytes)
    this.#maxBuffered = maxBuffered
  }

  add(piece: Buffer, source: LogSource): void {
    const kept = this.#meter.add(piece, source)
    if (kept.length === 0) return
    this.#buffered.push(kept)
    this.#bufferedBytes += kept.length
    if (this.#bufferedBytes > this.#maxBuffered) this.#spill()
  }

  /** Writes what is in memory to the file. */
  flush(): void {
    if (this.#bufferedBytes > 0) this.#spill()
  }

  /** Ends the spool. `inline` has the logs for the record; it is empty if they are in the file. */
  end(): { facts: RecordedLogs; map: LogMap; inline: Buffer; isInFile: boolean } {
    if (this.#fd !== undefined) {
      this.#spill()
      this.#attempt(() => fsyncSync(this.#fd as number))
      closeSync(this.#fd)
    }
    if (this.#error !== undefined) throw this.#error
    const isInFile = this.#fd !== undefined
    return {
      facts: this.describe(),
      map: this.#meter.end(),
      inline: isInFile ? Buffer.alloc(0) : Buffer.concat(this.#buffered),
      isInFile,
    }
  }

  /** Size and digest of the logs so far. */
  describe(): RecordedLogs {
    return this.#meter.describe()
  }

  /** Removes the file if it exists. */
  remove(): void {
    if (this.#fd !== undefined) rmSync(this.#path, { force: true })
  }

  #spill(): void {
    const bytes = Buffer.concat(this.#buffered)
    this.#buffered = []
    this.#bufferedBytes = 0
    this.#attempt(() => {
      this.#fd ??= openSync(this.#path, 'wx', 0o600)
      for (let written = 0; written < bytes.length;) written += writeSync(this.#fd, bytes, written)
    })
  }

  /** The first error is thrown at the end, because a logging failure must not end a run. */
  #attempt(work: () => void): void {
    if (this.#error !== undefined) return
    try {
      work()
    } catch (error) {
      this.#error = error
    }
  }
}
