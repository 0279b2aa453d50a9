import type { Readable } from 'node:stream'
import type { LogSource } from './log-pieces.ts'
import type { RecordedLogs, RunKind, RunRecord, RunStatus } from './run-record.ts'

/** A record that is being written. */
export interface OpenRecord {
  /**
   * Appends raw bytes to the logs. Never throws: `close` reports write errors such as a full disk.
   */
  log(piece: Uint8Array | string, source?: LogSource): void
  /** Describes the logs so far, for the complete record. */
  describeLogs(): RecordedLogs
  /**
   * Publishes the complete record, durable. Throws `store/full` and `store/unavailable`. Calls
   * `onWritten` as soon as the record survives the death of this process.
   */
  close(record: RunRecord, onWritten?: () => void): Promise<void>
}

export interface OpenRecordOptions {
  /** True if a caller chose the id, so that it may already exist. */
  isIdFromCaller: boolean
  /** Bytes of logs to keep. */
  maxLogBytes: number
  /** True if other processes read the logs while the run is active: they are not buffered. */
  isFollowed?: boolean | undefined
}

export interface RunQuery {
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  status?: RunStatus | undefined
  /** `name` or `name@version` of an executed or mounted skill. */
  skill?: string | undefined
  kind?: RunKind | undefined
  /** Entry point: `cli`, `http` and others. */
  door?: string | undefined
  caller?: string | undefined
  /** Runs that started at this time or later, in milliseconds since 1970. */
  sinceMs?: number | undefined
  /** Runs that started before this time. */
  untilMs?: number | undefined
  /** Text in the id, the target or the arguments, ignoring case. */
  text?: string | undefined
  /** False for a record that the reader may not see. */
  isVisible?: ((record: RunRecord) => boolean) | undefined
  /** Records to read for one page, which then may have fewer runs than `limit`. Default: all. */
  maxRead?: number | undefined
}

/** One page of records, newest run first. */
export interface RunPage {
  runs: RunRecord[]
  next_cursor: string | null
  /** Start of the oldest record that was read, if `maxRead` ended the page. */
  read_until?: string
}

/** Removed records, or in a dry run those that would be removed. */
export interface ExpiredRuns {
  removed: number
  bytesFreed: number
  kept: { count: number; bytes: number }
}

/** The output of a run in its record. */
export interface RecordedOutput {
  record: RunRecord
  stdout: RecordedStream
  stderr: RecordedStream
}

/** One stream of the logs. */
export interface RecordedStream {
  bytes: number
  lineEnds: number
  /**
   * Passes the bytes in order until `take` returns false. The buffer is valid only during the call.
   */
  read(take: (bytes: Buffer) => boolean): Promise<void>
}

/** Stores run records. Several processes may use one store concurrently. */
export interface RunStore {
  /** Opens the record of a run. Throws `params/invalid` if its id exists. */
  open(started: RunRecord, options: OpenRecordOptions): Promise<OpenRecord>
  list(query?: RunQuery): Promise<RunPage>
  /** Throws `run/not-found`. */
  get(id: string): Promise<RunRecord>
  /** Finds ids by prefix, with or without `run_`; newest first, at most `limit`. */
  find(prefix: string, limit: number): Promise<string[]>
  /**
   * Returns the redacted logs from a byte offset; for an active run, the logs so far. Those of an
   * attached run in another process arrive in blocks.
   */
  logs(id: string, offset?: number): Promise<Readable>
  /**
   * Returns the output, each stream separately. Throws `run/not-found`, and `run/busy` while the
   * run is active.
   */
  output(id: string): Promise<RecordedOutput>
  /** Throws `run/not-found`, and `run/busy` while the run is active. */
  remove(id: string): Promise<void>
  /** Removes expired records, and the oldest ones above the quota. */
  expire(options?: { dryRun?: boolean }): Promise<ExpiredRuns>
}
