/** Everything that decides about runs: the configuration's part, and every file's. */
export interface Policy {
  /** `runtime.enabled`. */
  enabled: boolean
  /** The timeout where none is asked for, and the longest. */
  timeoutMs: number
  maxTimeoutMs: number
  outputBytes: number
  /** Names of variables that callers may ask for. */
  environment: readonly string[]
  /** All of them count: each only takes away. */
  scopes: readonly PolicyScope[]
  /** Who is asked where a rule wants somebody to agree. */
  approval?: ApprovalHook | undefined
  /** The files that were read, strongest first. */
  files: readonly PolicyFile[]
}

export interface PolicyFile {
  path: string
  /** A project's file can take away and nothing else. */
  trust: 'operator' | 'project'
  /** `sha256:<hex>` of its text. */
  digest: string
}

/** A file's own limits, or one of its rules. */
export interface PolicyScope {
  /** The rule's name, or the file. */
  name: string
  /** `file:line` of all of it, or of what stands at a path in it; found when it is asked for. */
  place: (...path: string[]) => string
  /** A rule counts for the requests that match all of this; undefined is every request. */
  when?: PolicyMatch | undefined
  /** Undefined allows everything, an empty list nothing. */
  allow: PolicyLists
  deny: PolicyLists
  limits: { timeoutMs?: number | undefined; outputBytes?: number | undefined }
  /** Refuses everything that matches, with this sentence. */
  refuse?: string | undefined
  /** Somebody has to agree to everything that matches. */
  approve: boolean
}

/** The policy as it is now; the same object as long as nothing changed, for runs that waited. */
export type PolicySource = () => Promise<Policy>

/** What can be allowed and denied; patterns with `*`, and `!` before what is left out. */
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

/** What a rule is for. */
export interface PolicyMatch extends PolicyLists {
  doors?: readonly string[] | undefined
  /** Requests whose timeout is longer. */
  longerThanMs?: number | undefined
}

/** Asks a person or a program outside. */
export type ApprovalHook = {
  /** How long an answer may take. */
  timeoutMs: number
  /** `file:line`. */
  place: () => string
} & (
  | { kind: 'command'; command: readonly [string, ...string[]] }
  | { kind: 'webhook'; url: string; secretFile: string | undefined }
)
