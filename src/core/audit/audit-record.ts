import type { PlainObject } from '../skills/manifest/manifest.ts'
import type { PolicyRunKind } from '../policy/policy-request.ts'
import type { DenyCode, Layer } from '../policy/verdict.ts'

export const AUDIT_EVENTS = [
  /** The policy refused the call. */
  'denied',
  /** The policy allowed the call; written before anything is started. */
  'begun',
  /** The run ended; written before the caller gets a response. */
  'ended',
  /** A crash left a partial record, which was cut off. */
  'repaired',
  /** The last record of the log does not match its head. */
  'damaged',
  /** The oldest segment was removed, as configured. */
  'pruned',
  /** Run records were removed, as configured or on request. */
  'removed',
  /** A node of a fleet began its chain. */
  'started',
  /** A node of a fleet ended its chain. */
  'left',
] as const
export type AuditEvent = (typeof AUDIT_EVENTS)[number]

/** Record of a call: the complete decision, with digests instead of inputs and outputs. */
export interface AuditEntry {
  event: 'denied' | 'begun' | 'ended'
  run_id: string
  kind: PolicyRunKind
  who: { door: string; caller: string; traceparent?: string }
  request: AuditedRequest
  decision: AuditedDecision
  /** `sha256:<hex>` by name: code, args and stdin; at the end also stdout, stderr and output. */
  digests: Readonly<Record<string, string>>
  /** The digested values themselves, if audit.contents is set. */
  contents?: PlainObject
  /** `sha256:<hex>` of the run records by run id: the run's own, and those of its steps. */
  records?: Readonly<Record<string, string>>
  /** Present in records of ended runs. */
  result?: AuditedResult
}

export interface AuditedRequest {
  skills: readonly string[]
  language?: string
  executable?: string
  repository?: string
  cwd?: string
  timeout_ms: number | null
  network: readonly string[]
  environment: readonly string[]
}

export interface AuditedDecision {
  allowed: boolean
  /** Code of the first denial. */
  code?: DenyCode
  layer?: Layer
  reasons: readonly string[]
  /** Names of the matching rules. */
  rules: readonly string[]
  approval?: AuditedApproval
  limits: { timeout_ms: number; output_bytes: number }
  /** Digests of the policy files. */
  policies: readonly string[]
  audit_hash: string
}

/** Answer of the approval hook. */
export interface AuditedApproval {
  rules: readonly string[]
  answer: 'approved' | 'refused' | 'timed-out' | 'failed'
  waited_ms: number
  /** Name and reason of the approver, if the hook returns them. */
  by?: string
  reason?: string
}

export interface AuditedResult {
  status: string
  exit_code: number | null
  signal: string | null
  duration_ms: number | null
  stdout_bytes?: number
  stderr_bytes?: number
  /** Backend and tier that were applied; null if nothing was started. */
  isolation: string | null
  /** Type of the error. */
  error?: string
}

/** Record about the log itself: damage, segments that were removed, or the ends of a chain. */
export interface AuditRepair {
  event: 'repaired' | 'damaged' | 'pruned' | 'removed' | 'started' | 'left'
  /** Message for a human reader. */
  problem: string
  [fact: string]: unknown
}

/** One line of the log. */
export type AuditRecord = (AuditEntry | AuditRepair) & {
  seq: number
  time: string
  /** Hash of the previous record; zeros before the first. */
  prev: string
  /** Hash of this line without the hash. */
  hash: string
}
