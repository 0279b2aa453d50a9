import type { ErrorCode } from '../../../errors.ts'

/** Operations that can be detached. */
export const DETACHED_KINDS = ['execute_skill', 'run_code', 'execute'] as const
export type DetachedKind = (typeof DETACHED_KINDS)[number]

/** A detached run as it was accepted. */
export interface DetachedStart {
  run_id: string
  kind: DetachedKind
  /** Entry point and caller, as in the run record. */
  who: { door: string; caller: string }
  /** Key of the caller: its detached runs count together, and no other caller finds them. */
  principal: string
  started_at: string
}

/** End of a detached run: the result of its method, or the error that it threw. */
export interface DetachedEnd {
  ended_at: string
  result?: unknown
  error?: DetachedError
  /** Use that counts for the quotas of the caller; absent if the run never began. */
  usage?: DetachedUsage | undefined
  /** The run with the record and logs: a failed step such as compiling has a record of its own. */
  recorded_run_id: string | null
}

/** Processor time and bytes of blobs of a run. */
export interface DetachedUsage {
  cpu_ms: number
  blob_bytes: number
}

/** An error without its stack. */
export interface DetachedError {
  code: ErrorCode
  message: string
  hint?: string | undefined
  data?: Record<string, unknown> | undefined
}

/** State of a detached run. */
export interface DetachedRun {
  start: DetachedStart
  /** True if the id was returned, or could have been: the run goes on without its caller. */
  isAcknowledged: boolean
  /** True if the process that performs it is gone and it has no end. */
  isLost: boolean
  isCancelling: boolean
  /** True if another server follows the run, and counts its use. */
  isFollowed?: boolean
  end: DetachedEnd | undefined
}

/** State of detached runs. Several processes use one store concurrently. */
export interface DetachedStore {
  /**
   * Reserves the id and a share of the caller. Throws `run/busy` if the caller has too many
   * detached runs, and `params/invalid` if the id exists.
   */
  create(start: DetachedStart): Promise<void>
  /** Makes this process the owner of the run; durable when it returns. */
  begin(id: string): Promise<void>
  /** Stores the end; durable when it returns. */
  end(id: string, end: DetachedEnd): Promise<void>
  /** Returns undefined if no detached run has this id. */
  find(id: string): Promise<DetachedRun | undefined>
  /** Returns the acknowledged runs, newest first; only those for which `isWanted` is true. */
  list(isWanted?: (start: DetachedStart) => boolean): Promise<DetachedRun[]>
  /** Asks the process of the run to end it; durable when it returns. */
  requestCancel(id: string): Promise<void>
  /** True if the end of the run was requested. */
  isCancelRequested(id: string): boolean
  remove(id: string): Promise<void>
}
