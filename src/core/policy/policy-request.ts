/** Kind of a run in policies. */
export type PolicyRunKind = 'execute_skill' | 'run_code' | 'execute' | 'workspace'

export const POLICY_RUN_KINDS = ['execute_skill', 'run_code', 'execute', 'workspace'] as const

/** Facts about a request, all resolved beforehand: the input of a policy evaluation. */
export interface PolicyRequest {
  kind: PolicyRunKind
  /** Entry point: `cli`, `http`, `library` or `mcp`. */
  door: string
  /** Name of the token, or of the user. */
  caller: string
  /** `name@version` of all executed or mounted skills. */
  skills: readonly string[]
  language?: string | undefined
  executable?: ExecutableFacts | undefined
  /** Name of a registered repository. */
  repository?: string | undefined
  cwd?: CwdFacts | undefined
  /** Requested timeout; undefined for the default. */
  timeoutMs?: number | undefined
  /** Destinations that the run would get, as in permissions.network. */
  network: readonly string[]
  /** Names of environment variables that the caller wants to pass through. */
  environment: readonly string[]
  /** `sha256:<hex>` of the inputs by name: code, args, stdin. */
  digests?: Readonly<Record<string, string>> | undefined
}

/** The program to start, or the reason why it is refused. */
export type ExecutableFacts =
  | {
      /** As the caller named it; undefined for the language's default. */
      asked?: string | undefined
      /** Without folders, such as `python3`. */
      name: string
      /** Absolute, links resolved, outside of every repository. */
      path: string
      /** Every path between the request and the program: the links that were followed. */
      links?: readonly string[] | undefined
      /** Further paths of the same file. They can deny it, and never allow it. */
      aliases?: readonly string[] | undefined
    }
  | { asked?: string | undefined; problem: ExecutableProblem; sentence: string }

/** Reason for not starting a program. */
type ExecutableProblem =
  /** It belongs to another language. */
  | 'runtime-executable-mismatch'
  /** It is inside a repository, where others than the operator can change it. */
  | 'executable-not-trusted'
  | 'executable-not-found'

/** Working directory of a run inside its repository, or the reason why it is refused. */
export type CwdFacts =
  | {
      asked: string
      /** Relative to the repository, links resolved; `.` is the repository itself. */
      relative: string
    }
  | { asked: string; problem: 'cwd-escape-attempt'; sentence: string }
