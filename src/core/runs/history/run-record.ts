import type { AuditedDecision } from '../../audit/audit-record.ts'
import type { Plain, PlainObject } from '../../skills/manifest/manifest.ts'
import type { NetworkDecision } from '../../sandbox/egress/decision.ts'
import type { Isolation } from '../../sandbox/isolation.ts'
import type { RunPhaseName } from '../run-phases.ts'

export const RUN_STATUSES = [
  'running',
  'completed',
  'failed',
  'cancelled',
  /** Denied by policy. */
  'refused',
  /** A requirement was missing, or the host failed. */
  'not_started',
  /** The process that ran it was killed. */
  'interrupted',
] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

export const RUN_KINDS = ['execute_skill', 'run_code', 'execute', 'workspace'] as const
export type RunKind = (typeof RUN_KINDS)[number]

/** The record of one run, independent of its transport. Secrets are redacted. */
export interface RunRecord {
  run_id: string
  /**
   * `execute`: a program of `runtime.execute`. `workspace`: a command in the workspace of a
   * session.
   */
  kind: RunKind
  status: RunStatus
  who: {
    /** Entry point: `cli`, `library`, `rpc` and others. */
    door: string
    caller: string
    /** Key of a caller that shares its name with others, such as its address. */
    principal?: string
    traceparent?: string
  }
  request: RecordedRequest
  /** All mounted skills. */
  skills: readonly RecordedSkill[]
  policy: RecordedPolicy
  /** The isolation that was applied; null if nothing was started. */
  isolation: Isolation | null
  limits: RecordedLimits | null
  /** Every network attempt, if the run had a filter. */
  network?: readonly NetworkDecision[]
  /** Bytes sent and received, if the run had a filter. */
  network_bytes?: number
  started_at: string
  ended_at: string | null
  duration_ms: number | null
  /**
   * Phases that are over when the record is written, in order; absent until the run has ended.
   * `parse` and the first part of `resolve` precede `started_at`.
   */
  phases?: readonly RecordedPhase[]
  /** Null if nothing was started; absent as for `phases`. */
  use?: RecordedUse | null
  exit: RecordedExit | null
  summary: string | null
  output: { size_bytes: number; digest: string; value: Plain } | null
  error: RecordedError | null
  blobs: readonly RecordedBlob[]
  logs: RecordedLogs
  /**
   * How the run ended after the nodes of a fleet had given it up, so that its status is `interrupted`.
   * Added when a record is read; never part of a stored one.
   */
  late?: LateEnd
}

/** The end of a run that came too late to count. */
export type LateEnd = Pick<
  RunRecord,
  'status' | 'ended_at' | 'duration_ms' | 'exit' | 'summary' | 'output' | 'blobs'
>

export interface RecordedPhase {
  name: RunPhaseName
  /** Monotonic milliseconds, to microseconds. */
  ms: number
}

/** Resources that a run used, with the keys of its limits. Null where nothing counted them. */
export interface RecordedUse {
  /** Processor time of all processes. */
  cpu_ms: number | null
  /** Highest memory of all processes, with files in memory. */
  memory_bytes: number | null
  /** Highest number of processes and threads at once. */
  processes: number | null
  /** Bytes in the workspace when the run ended. */
  workspace_bytes: number | null
  /** Bytes of output and log lines, before redaction and truncation. */
  output_bytes: number | null
  /** Null if the run had no network. */
  network_bytes: number | null
}

/** Limits of a run, with the keys of `Limits` in snake_case. */
export interface RecordedLimits {
  wall_ms: number
  cpu_ms: number
  memory_bytes: number
  total_memory_bytes?: number | undefined
  processes: number
  open_files: number
  workspace_bytes: number
  inodes: number
  output_bytes: number
  network_bytes: number
}

export interface RecordedRequest {
  /** `name@version` of the executed skill. */
  skill?: string
  code?: { digest: string; size_bytes: number; entrypoint: string }
  /** Executable and working directory of a program; its argv is in `args`. */
  program?: { executable: string; cwd: string }
  args: PlainObject
  /** Arguments that were too large to store, with their sizes. They are null in `args`. */
  args_cut: readonly { name: string; size_bytes: number }[]
  input_blobs: readonly string[]
  timeout_ms: number | null
}

export interface RecordedSkill {
  name: string
  version: string
  /** Digest of its files at the start; null if they could not be read. */
  digest: string | null
}

export interface RecordedPolicy {
  allowed: boolean
  reasons: readonly string[]
  network: readonly string[]
  /** Names only. */
  secrets: readonly string[]
  /** The policy decision, if the policy was evaluated. */
  decision?: AuditedDecision
  /** Link to the `begun` entry in the audit log. */
  audit?: { seq: number; hash: string }
}

interface RecordedExit {
  code: number | null
  signal: number | null
  /** Why the host ended it. */
  ended_because: string | null
}

export interface RecordedError {
  /** The class of the exception, or an error code of the runtime. */
  type: string
  message: string
  traceback?: string
  hint?: string
  limit?: PlainObject
}

interface RecordedBlob {
  blob_id: string
  kind: string
  size_bytes: number
  digest: string
}

export interface RecordedLogs {
  size_bytes: number
  /** Less than `size_bytes` if the output limit truncated the logs. */
  kept_bytes: number
  /** Digest of the stored bytes; null while the run is active. */
  digest: string | null
}
