import type { Writable } from 'node:stream'
import type { NetworkDecision } from '../sandbox/egress/decision.ts'
import type { Isolation } from '../sandbox/isolation.ts'
import type { BlobInfo } from '../storage/blob-store.ts'
import type { RunQueue } from './queue/run-queue.ts'
import type { CallTimes, RunPhaseName } from './run-phases.ts'
import type { LogPiece, ProgressReport, RunState, SavedArtifact } from './run-events.ts'

export {
  LOG_LEVELS,
  type LogLevel,
  type LogPiece,
  type ProgressReport,
  type RunState,
} from './run-events.ts'

/** Parameters of a run that come from the caller's side. */
export interface RunCall {
  /** Aborted when the caller disconnects or cancels. */
  signal?: AbortSignal
  /**
   * The caller's environment: PATH for finding programs, and the source of passed-through
   * variables.
   */
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  /** Values by name. A run gets those that its skill declares. */
  secrets?: ReadonlyMap<string, string> | undefined
  /** Variables of the application for this run, besides the passed-through ones. */
  environment?: Readonly<Record<string, string>> | undefined
  /** Allows the network destinations that the skill declares. */
  allowNetwork?: boolean | undefined
  /**
   * True to give a run without destinations a filter that refuses and reports all attempts, instead
   * of no network.
   */
  watchesNetwork?: boolean | undefined
  /** Memory limit of each run of the call, at most the configured one. */
  memoryBytes?: number | undefined
  /** A folder that does not exist yet; the workspace is copied to it at the end. */
  keepIn?: string | undefined
  /** Connects a user to the standard streams of a skill's code. */
  interactive?: InteractiveRun | undefined
  /** The id of the run, if the entry point chose it. */
  runId?: string | undefined
  /** The entry point and the caller. */
  door?: 'cli' | 'http' | 'mcp' | 'library' | undefined
  caller?: string | undefined
  /** Key under which runs share the queue fairly. */
  principal?: string | undefined
  /** True for a caller that may see the runs of all callers. */
  isOperator?: boolean | undefined
  /** Ends a run of this caller whose call this process performs; false if there is none. */
  cancelAttached?: ((id: string) => Promise<boolean>) | undefined
  /** Conversation of the caller, whose kernels no other one reaches. */
  kernelScope?: string | undefined
  /** Maximum of concurrent runs of the principal, where it has one of its own. */
  maxRuns?: number | undefined
  /** The W3C trace context of the caller, unchanged. */
  traceparent?: string | undefined
  /** The queue for this run; by default that of the runtime. */
  runQueue?: RunQueue | undefined
  /** Times before the run, for its phases; undefined for a step of a call. */
  times?: CallTimes | undefined
  /** Called when a phase of the run begins, but for those before it. */
  onPhase?: ((name: RunPhaseName) => void) | undefined
  /** Called when the run leaves the queue. */
  onAdmitted?: (() => void) | undefined
  /** True in the process of a detached run, whose caller does not wait for it. */
  isDetached?: boolean | undefined
  /** Awaited when the policy has allowed the run and the audit log has its start. */
  onAuthorized?: (() => Promise<void>) | undefined
  /** Called with the id of each record that the run opens; the last one has its logs. */
  onRecorded?: ((runId: string) => void) | undefined
  /** Called when the run continues without the call. */
  onDetached?: (() => void) | undefined
  /** Called with the result of a detached run; with undefined if it has none. */
  onDetachedEnd?: ((result: unknown) => void) | undefined
  /** Aborted when the entry point stops. Detached runs continue. */
  closing?: AbortSignal | undefined
  /** Called with the applied isolation, after the end and before the result is returned. */
  onIsolated?: ((isolation: Isolation) => void) | undefined
  /** Called with the milliseconds of processor time of a run that ended, before its result. */
  onCpuTime?: ((ms: number) => void) | undefined
  /** Called with the output of a program as it arrives. A slow handler slows the program. */
  onOutput?: ((stream: 'stdout' | 'stderr', chunk: Buffer) => void | Promise<void>) | undefined
  /** Called with state changes, log lines as they arrive, and blobs. */
  onEvent?: ((event: RunEvent) => void) | undefined
}

/** A user at the standard streams of a skill's code. */
export interface InteractiveRun {
  /** `debug` calls the function under a debugger, `repl` executes statements. */
  mode: 'debug' | 'repl'
  /** Size and type of the terminal; undefined for pipes. */
  terminal?: { columns: number; rows: number; type: string } | undefined
  /** Called when the code accepts input. */
  onStarted(controls: InputControls): void
}

/** Controls of a run's input. */
export interface InputControls {
  stdin: Writable
  resize(columns: number, rows: number): void
}

/** Events during a run. */
export type RunEvent =
  | { type: 'state'; run_id: string; state: RunState }
  | ({ type: 'log' } & LogPiece)
  /** Progress that the code reported, at most 20 times per second. */
  | ({ type: 'progress' } & ProgressReport)
  /** A blob of the run, visible from now on. */
  | { type: 'blob'; blob: BlobInfo }
  /** A version of an artifact that the call saved. */
  | { type: 'artifact'; artifact: SavedArtifact }
  /** A network attempt of a run with allowed destinations. */
  | { type: 'network'; decision: NetworkDecision }
