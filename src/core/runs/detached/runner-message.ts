import type { Config } from '../../config/config.ts'
import type { RunCall, RunEvent } from '../run-call.ts'
import type { CallTimes } from '../run-phases.ts'
import type { DetachedEnd, DetachedError, DetachedKind } from './detached-run.ts'

/** Work of a runner process. It travels over a socket, because it has secrets. */
export interface RunnerRequest {
  config: Config
  kind: DetachedKind
  /** Parameters of the operation, with resolved skills. */
  params: unknown
  call: Pick<RunCall, 'env' | 'cwd' | 'caller' | 'grants' | 'keepIn'> & { runId: string }
  /** In milliseconds since 1970, because each process has a monotonic clock of its own. */
  times: CallTimes | undefined
}

/** Answers a request for a slot of the queue. */
export interface SlotMessage {
  type: 'slot'
  hasLowPriority?: boolean
  error?: DetachedError | undefined
}

/** Messages to a runner. */
export type ToRunner =
  | { type: 'start'; request: RunnerRequest }
  | SlotMessage
  /** The caller is gone before the run was acknowledged. */
  | { type: 'cancel' }

/** Messages from a runner. */
export type FromRunner =
  /** The runner is loaded and waits for `start`. */
  | { type: 'ready' }
  | { type: 'slot-request' }
  | { type: 'slot-release' }
  /** The run is authorized, and its acceptance is durable. */
  | { type: 'begun' }
  | { type: 'event'; event: RunEvent }
  /** The end of a run; of a run that never began, it is not stored. */
  | { type: 'ended'; end: DetachedEnd }
