import type { AuditedDecision } from '../../audit/audit-record.ts'
import type { Plain, PlainObject } from '../../skills/manifest/manifest.ts'
import type { Limits } from '../../sandbox/backend.ts'
import type { NetworkDecision } from '../../sandbox/egress/decision.ts'
import type { Isolation } from '../../sandbox/isolation.ts'

export const RUN_STATUSES = [
  'running',
  'completed',
  'failed',
  'cancelled',
  /** By policy. */
  'refused',
  /** Something that it needs was missing, or this machine failed. */
  'not_started',
  /** The process that ran it was killed. */
  'interrupted',
] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

/** Everything that is kept of one run, whatever door it came by; secrets are taken out. */
export interface RunRecord {
  run_id: string
  /** `execute`: a program of a governed execution; `workspace`: a command in a session's workspace. */
  kind: 'execute_skill' | 'run_code' | 'execute' | 'workspace'
  status: RunStatus
  who: {
    /** `cli`, `library`, `rpc` and the like. */
    door: string
    caller: string
    traceparent?: string
  }
  request: RecordedRequest
  /** All that was mounted. */
  skills: readonly RecordedSkill[]
  policy: RecordedPolicy
  /** What was really applied; null where nothing was started. */
  isolation: Isolation | null
  limits: Limits | null
  /** Every attempt to reach the network, where there was a filter. */
  network?: readonly NetworkDecision[]
  started_at: string
  ended_at: string | null
  duration_ms: number | null
  exit: RecordedExit | null
  summary: string | null
  output: { size_bytes: number; digest: string; value: Plain } | null
  error: RecordedError | null
  blobs: readonly RecordedBlob[]
  logs: RecordedLogs
}

export interface RecordedRequest {
  /** `name@version` of what was executed. */
  skill?: string
  code?: { digest: string; size_bytes: number; entrypoint: string }
  /** What a program was started by, and where; its words are among the arguments. */
  program?: { executable: string; cwd: string }
  args: PlainObject
  /** Arguments that were too large to keep, with their sizes; in `args` they are null. */
  args_cut: readonly { name: string; size_bytes: number }[]
  input_blobs: readonly string[]
  timeout_ms: number | null
}

export interface RecordedSkill {
  name: string
  version: string
  /** Of its files as they were at the start; null where they could not be read. */
  digest: string | null
}

export interface RecordedPolicy {
  allowed: boolean
  reasons: readonly string[]
  network: readonly string[]
  /** Names alone. */
  secrets: readonly string[]
  /** What the policy said, where it was asked. */
  decision?: AuditedDecision
  /** Where the beginning of the run stands in the audit log. */
  audit?: { seq: number; hash: string }
}

interface RecordedExit {
  code: number | null
  signal: number | null
  /** Why it was ended from outside. */
  ended_because: string | null
}

export interface RecordedError {
  /** The exception's class, or a code of ours. */
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
  /** Less than its size where the limit of output cut it. */
  kept_bytes: number
  /** Of what is kept; null while it is being written. */
  digest: string | null
}
