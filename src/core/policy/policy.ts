/** All settings that decide about runs: from the configuration and from all policy files. */
export interface Policy {
  /** `runtime.enabled`. */
  enabled: boolean
  /** Default timeout, and the maximum. */
  timeoutMs: number
  maxTimeoutMs: number
  outputBytes: number
  /** Names of environment variables that callers may request. */
  environment: readonly string[]
  /** All scopes apply: each can only restrict. */
  scopes: readonly PolicyScope[]
  /** Destinations that programs may reach; only the operator's file opens any. */
  programs: readonly ProgramNetwork[]
  /** Hook for rules that require approval. */
  approval?: ApprovalHook | undefined
  /** The policy files, strongest first. */
  files: readonly PolicyFile[]
}

export interface PolicyFile {
  path: string
  /** A project's file can only restrict. */
  trust: 'operator' | 'project'
  /** `sha256:<hex>` of its text. */
  digest: string
}

/** Restrictions of a whole file, or of one rule. */
export interface PolicyScope {
  /** Name of the rule, or of the file. */
  name: string
  /** Finds `file:line` of the scope, or of a path in it. */
  locate: (...path: string[]) => string
  /** Conditions of a rule, which must all match; undefined matches every request. */
  when?: PolicyMatch | undefined
  /** Undefined allows everything, an empty list nothing. */
  allow: PolicyLists
  deny: PolicyLists
  limits: { timeoutMs?: number | undefined; outputBytes?: number | undefined }
  /** Properties that a run must have. */
  require: { aslr?: boolean | undefined }
  /** Refuses all matching requests with this message. */
  refuse?: string | undefined
  /** True if matching requests require approval. */
  approve: boolean
}

/** Destinations that the operator opens for programs of `runtime.execute`. */
export interface ProgramNetwork {
  name: string
  /** Finds `file:line`. */
  locate: () => string
  /** Conditions, which must all match. */
  when: PolicyMatch
  network: readonly string[]
}

/**
 * Returns the current policy; the same object until a file changes, so that waiting runs can
 * compare.
 */
export type PolicySource = () => Promise<Policy>

/** Patterns of allowed or denied values: `*` is a wildcard, `!` excludes. */
export interface PolicyLists {
  kinds?: readonly string[] | undefined
  tokens?: readonly string[] | undefined
  languages?: readonly string[] | undefined
  executables?: readonly string[] | undefined
  repositories?: readonly string[] | undefined
  cwd?: readonly string[] | undefined
  skills?: readonly string[] | undefined
  network?: readonly string[] | undefined
  environment?: readonly string[] | undefined
}

/** Conditions of a rule. */
export interface PolicyMatch extends PolicyLists {
  doors?: readonly string[] | undefined
  /** Matches requests with a longer timeout. */
  longerThanMs?: number | undefined
}

/** External approval by a person or a program. */
export type ApprovalHook = {
  /** Timeout of an answer. */
  timeoutMs: number
  /** Finds `file:line`. */
  locate: () => string
} & (
  | { kind: 'command'; command: readonly [string, ...string[]] }
  | { kind: 'webhook'; url: string; secretFile: string | undefined }
)
