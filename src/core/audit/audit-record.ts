import type { PlainObject } from '../skills/manifest/manifest.ts'
import type { PolicyRunKind } from '../policy/policy-request.ts'
import type { DenyCode, Layer } from '../policy/verdict.ts'

export const AUDIT_EVENTS = [
  /** It was not let through. */
  'denied',
  /** It was let through; written before anything is started. */
  'begun',
  /** How it ended; written before anybody is answered. */
  'ended',
  /** A crash left half a record, which was cut off. */
  'repaired',
  /** What the log said last is not what its head remembers. */
  'damaged',
  /** The oldest file was removed, as the configuration says. */
  'pruned',
] as const
export type AuditEvent = (typeof AUDIT_EVENTS)[number]

/** What is written of a call: the whole decision, and digests in place of what was given and made. */
export interface AuditEntry {
  event: 'denied' | 'begun' | 'ended'
  run_id: string
  kind: PolicyRunKind
  who: { door: string; caller: string; traceparent?: string }
  request: AuditedRequest
  decision: AuditedDecision
  /** `sha256:<hex>` by name: code, args, stdin, and when it ended stdout, stderr, output. */
  digests: Readonly<Record<string, string>>
  /** The same things themselves, where audit.contents is set. */
  contents?: PlainObject
  /** Where it ended. */
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
  /** Of the first denial. */
  code?: DenyCode
  layer?: Layer
  reasons: readonly string[]
  /** Names of the rules that it matched. */
  rules: readonly string[]
  approval?: AuditedApproval
  limits: { timeout_ms: number; output_bytes: number }
  /** Digests of the policy's files. */
  policies: readonly string[]
  audit_hash: string
}

/** What whoever was asked said. */
export interface AuditedApproval {
  rules: readonly string[]
  answer: 'approved' | 'refused' | 'timed-out' | 'failed'
  waited_ms: number
  /** Who agreed, and why, where the hook says so. */
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
  /** What was really applied: the backend and its tier; null where nothing was started. */
  isolation: string | null
  /** Type of the error. */
  error?: string
}

/** What is written of the log itself: what was wrong with it, and what was removed. */
export interface AuditRepair {
  event: 'repaired' | 'damaged' | 'pruned'
  /** For people. */
  problem: string
  [fact: string]: unknown
}

/** A line of the log. */
export type AuditRecord = (AuditEntry | AuditRepair) & {
  seq: number
  time: string
  /** Hash of the record before; zeros before the first. */
  prev: string
  /** Of this line without it. */
  hash: string
}
