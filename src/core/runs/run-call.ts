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

/** The caller of a run, as its entry point knows it. */
export interface RunCaller {
  /** The entry point. Default: `library`. */
  door?: 'cli' | 'http' | 'mcp' | 'library' | undefined
  /** Undefined for the local user. */
  name?: string | undefined
  /** Key under which runs share the queue fairly. */
  principal?: string | undefined
  /** Maximum of concurrent runs of the principal, where it has one of its own. */
  maxRuns?: number | undefined
  /** True for a caller that may see the runs of all callers. */
  isOperator?: boolean | undefined
  /**
   * True if other callers, which it does not trust, use the same runtime: by default, its warm runs
   * then have memory layouts of their own.
   */
  sharesRuntime?: boolean | undefined
  /** The W3C trace context of the caller, unchanged. */
  traceparent?: string | undefined
}

/** Values and permissions that a call gives to its runs. */
export interface RunGrants {
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
}

/** A call that may start runs, as its entry point passes it on. */
export interface RunCall {
  /** Aborted when the caller disconnects or cancels. */
  signal?: AbortSignal
  /** Aborted when the entry point stops. Detached runs continue. */
  closing?: AbortSignal | undefined
  /**
   * The caller's environment: PATH for finding programs, and the source of passed-through
   * variables.
   */
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  caller?: RunCaller | undefined
  grants?: RunGrants | undefined
  /** The id of the run, if the entry point chose it. */
  runId?: string | undefined
  /** A folder that does not exist yet; the workspace is copied to it at the end. */
  keepIn?: string | undefined
  /** Connects a user to the standard streams of a skill's code. */
  interactive?: InteractiveRun | undefined
  /** The queue for this run; by default that of the runtime. */
  runQueue?: RunQueue | undefined
  /** Times before the run, for its phases; undefined for a step of a call. */
  times?: CallTimes | undefined
  /** True in the process of a detached run, whose caller does not wait for it. */
  isDetached?: boolean | undefined
  /** Ends a run of this caller whose call this process performs; false if there is none. */
  cancelAttached?: ((id: string) => Promise<boolean>) | undefined
  /** The run waits for the promise of an event that is awaited, and for no other one. */
  onEvent?: ((event: RunEvent) => unknown) | undefined
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

/** Types of the events that streams of a run show to its followers. */
const STREAMED_TYPES = ['state', 'log', 'progress', 'blob', 'artifact', 'network'] as const

/** An event that streams of a run show to its followers. */
export type StreamedEvent = Extract<RunEvent, { type: (typeof STREAMED_TYPES)[number] }>

/** Events of a run and of its steps. */
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
  /** Output of a program as it arrives; awaited, so a slow handler slows the program. */
  | { type: 'output'; stream: 'stdout' | 'stderr'; chunk: Buffer }
  /** A phase begins; not sent for those before the run. */
  | { type: 'phase'; name: RunPhaseName }
  /** The run leaves the queue. */
  | { type: 'admitted' }
  /** The policy has allowed the run and the audit log has its start; awaited. */
  | { type: 'authorized' }
  /** A record was opened; the last one has the logs of the run. */
  | { type: 'recorded'; run_id: string }
  /** The applied isolation, after the end and before the result is returned. */
  | { type: 'isolated'; isolation: Isolation }
  /** Processor time of a sandbox that ended, before the result is returned. */
  | { type: 'cpu'; ms: number }
  /** The run continues without the call. */
  | { type: 'detached' }
  /** A detached run has ended; undefined if it has no result. */
  | { type: 'ended'; result: unknown }

export function isStreamedEvent(event: RunEvent): event is StreamedEvent {
  return STREAMED_TYPES.some((type) => type === event.type)
}

/** A call that reports what its caller is charged for, but not what followers of its run see. */
export function hideFromFollowers({ onEvent, ...call }: RunCall): RunCall {
  if (!onEvent) return call
  return { ...call, onEvent: (event) => (isStreamedEvent(event) ? undefined : onEvent(event)) }
}
