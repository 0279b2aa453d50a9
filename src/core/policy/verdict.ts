/** Checks between a request and a run, in order. */
export const LAYERS = [
  'config',
  'policy',
  'executable',
  'environment',
  'cwd',
  'approval',
  'concurrency',
  'timeout',
  'output',
  'audit',
] as const
export type Layer = (typeof LAYERS)[number]

/** Codes of all reasons for refusing a run. */
export type DenyCode =
  | 'request-invalid'
  | 'policy-invalid'
  | 'runtime-disabled'
  | 'kind-not-allowed'
  | 'caller-not-allowed'
  | 'runtime-not-allowed'
  | 'executable-not-allowed'
  | 'repository-not-allowed'
  | 'cwd-not-allowed'
  | 'skill-not-allowed'
  | 'timeout-exceeded'
  | 'network-not-allowed'
  | 'denied-by-rule'
  | 'runtime-executable-mismatch'
  | 'executable-not-trusted'
  | 'executable-not-found'
  | 'env-keys-not-allowed'
  | 'cwd-escape-attempt'
  | 'approval-refused'
  | 'approval-timed-out'
  | 'approval-failed'
  | 'concurrency-limit-reached'
  | 'audit-unavailable'

/** One reason for refusing a run. */
export interface Denial {
  code: DenyCode
  layer: Layer
  /** Message for a human reader: the requested value, and the accepted values. */
  sentence: string
  /** Name of the rule or file. */
  by?: string | undefined
}

/** Result of a policy evaluation. */
export interface PolicyVerdict {
  allowed: boolean
  /** In the order of the layers; the first one is the error to report. */
  denials: readonly Denial[]
  /** Names of the matching rules. */
  rules: readonly string[]
  /** Names of the rules that require approval; empty if none does. */
  approval: readonly string[]
  /** Limits of the run. */
  limits: VerdictLimits
  /** Present if the run must have an address-space layout of its own. */
  aslr?: true
  /** SHA-256 over the request, the policy and the verdict. */
  auditHash: string
}

export interface VerdictLimits {
  /** Wall clock: the requested timeout, the default, or the policy's limit. */
  timeoutMs: number
  /** Limit for both streams together. */
  outputBytes: number
}
