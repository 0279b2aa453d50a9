/** What stands between a request and a run, in the order in which it is asked. */
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

/** Every way in which a run can be refused. */
export type DenyCode =
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

/** One reason why not. */
export interface Denial {
  code: DenyCode
  layer: Layer
  /** For people: what was asked, and what would be taken. */
  sentence: string
  /** The rule or file that says so. */
  by?: string | undefined
}

/** What the policy says about a request. */
export interface PolicyVerdict {
  allowed: boolean
  /** In the order of the layers; the first is the reason to give. */
  denials: readonly Denial[]
  /** Names of the rules that the request matches. */
  rules: readonly string[]
  /** Why somebody has to agree first; empty where nobody has to. */
  approval: readonly string[]
  /** What the run gets at most. */
  limits: VerdictLimits
  /** SHA-256 over the request, the policy and what came of them. */
  auditHash: string
}

export interface VerdictLimits {
  /** Wall clock: what was asked for, or the default, or the policy's limit. */
  timeoutMs: number
  /** Of both streams together. */
  outputBytes: number
}
