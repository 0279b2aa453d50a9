import type { Readable } from 'node:stream'
import type { LogSource } from './log-pieces.ts'
import type { RunRecord, RunStatus } from './run-record.ts'

/** A record that is being written. */
export interface OpenRecord {
  /** Adds to the logs, bytes as they are; never throws, a full disk is told by `close`. */
  log(piece: Uint8Array | string, source?: LogSource): void
  /** Makes it durable and visible, whole. Throws `store/full` and `store/unavailable`. */
  close(record: RunRecord): Promise<void>
}

export interface OpenRecordOptions {
  /** The id was chosen by a caller: it may be taken. */
  mayBeTaken: boolean
  /** What is kept of the logs. */
  maxLogBytes: number
}

export interface RunQuery {
  limit?: number | undefined
  /** From the page before. */
  cursor?: string | undefined
  status?: RunStatus | undefined
  /** `name` or `name@version` of a skill that was executed or mounted. */
  skill?: string | undefined
}

/** One page of records, the newest run first. */
export interface RunPage {
  runs: RunRecord[]
  next_cursor: string | null
}

/** What expiring removed, or would remove. */
export interface ExpiredRuns {
  removed: number
  bytesFreed: number
  kept: { count: number; bytes: number }
}

/** What a run printed, as its record holds it. */
export interface RecordedOutput {
  record: RunRecord
  stdout: RecordedStream
  stderr: RecordedStream
}

/** One stream among the logs of a run. */
export interface RecordedStream {
  bytes: number
  lineEnds: number
  /** Gives its bytes in order until `take` has enough; they are good until the call returns. */
  read(take: (bytes: Buffer) => boolean): Promise<void>
}

/** Records of runs. Several processes may use one store at once. */
export interface RunStore {
  /** Says that a run begins. Throws `params/invalid` where its id is taken. */
  open(started: RunRecord, options: OpenRecordOptions): Promise<OpenRecord>
  list(query?: RunQuery): Promise<RunPage>
  /** Throws `run/not-found`. */
  get(id: string): Promise<RunRecord>
  /** Ids that begin like this, with or without `run_`; the newest first, at most `limit`. */
  find(prefix: string, limit: number): Promise<string[]>
  /** The logs, redacted; of a run that is under way what is written so far. */
  logs(id: string): Promise<Readable>
  /** What it printed, each stream by itself. Throws `run/not-found`, and `run/busy` while it is under way. */
  output(id: string): Promise<RecordedOutput>
  /** Throws `run/not-found`, and `run/busy` while it is under way. */
  remove(id: string): Promise<void>
  /** Removes records that have expired, and the oldest ones beyond the quota. */
  expire(options?: { dryRun?: boolean }): Promise<ExpiredRuns>
}
