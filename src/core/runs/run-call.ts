import type { NetworkDecision } from '../sandbox/egress/decision.ts'
import type { Isolation } from '../sandbox/isolation.ts'
import type { BlobInfo } from '../storage/blob-store.ts'
import type { RunQueue } from './run-queue.ts'
import type { LogPiece, RunState } from './run-events.ts'

export { LOG_LEVELS, type LogLevel, type LogPiece, type RunState } from './run-events.ts'

/** What the caller's side adds to a run. */
export interface RunCall {
  /** Aborted when the caller went away. */
  signal?: AbortSignal
  /** The caller's environment: where programs are found and variables are handed through from. */
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  /** Values by name; a run gets those that its skill declares. */
  secrets?: ReadonlyMap<string, string> | undefined
  /** Lets the skill use the network that it declares. */
  allowNetwork?: boolean | undefined
  /** A folder, not there yet, that the workspace is copied to in the end. */
  keepIn?: string | undefined
  /** The run's id, where the door fixed it before. */
  runId?: string | undefined
  /** The way by which the call came, and who asked. */
  door?: 'cli' | 'http' | 'mcp' | 'library' | undefined
  caller?: string | undefined
  /** The W3C trace context of the caller, as it came. */
  traceparent?: string | undefined
  /** Where it waits for its turn; the runtime's own unless given. */
  gate?: RunQueue | undefined
  /** Called when it begins to be judged, to wait for its turn, to be written down: no state tells of these. */
  onStep?: ((step: 'policy' | 'wait' | 'record') => void) | undefined
  /** Called when its turn has come. */
  onAdmitted?: (() => void) | undefined
  /** Called with what isolated it, when it is over and before that is told. */
  onIsolated?: ((isolation: Isolation) => void) | undefined
  /** Called with the bytes that a program prints, as they come; a slow one slows the program. */
  onOutput?: ((stream: 'stdout' | 'stderr', chunk: Buffer) => void | Promise<void>) | undefined
  /** Called with state changes, log lines as they come, and blobs. */
  onEvent?: ((event: RunEvent) => void) | undefined
}

/** What happens while a run is under way. */
export type RunEvent =
  | { type: 'state'; run_id: string; state: RunState }
  | ({ type: 'log' } & LogPiece)
  /** A blob that the run made and that is visible from now on. */
  | { type: 'blob'; blob: BlobInfo }
  /** An attempt to reach the network, of a run that has a list. */
  | { type: 'network'; decision: NetworkDecision }
