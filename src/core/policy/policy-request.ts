/** What policy knows a run as. */
export type PolicyRunKind = 'execute_skill' | 'run_code' | 'execute' | 'workspace'

export const POLICY_RUN_KINDS = ['execute_skill', 'run_code', 'execute', 'workspace'] as const

/** What is asked for, as far as anybody may forbid it: facts alone, everything looked up before. */
export interface PolicyRequest {
  kind: PolicyRunKind
  /** The way by which it came: `cli`, `http`, `library`, `mcp`. */
  door: string
  /** Name of the token, or of the user. */
  caller: string
  /** `name@version` of all that is executed or mounted. */
  skills: readonly string[]
  language?: string | undefined
  executable?: ExecutableFacts | undefined
  /** Name of a registered repository. */
  repository?: string | undefined
  cwd?: CwdFacts | undefined
  /** What the caller asked for; undefined takes the default. */
  timeoutMs?: number | undefined
  /** Destinations that the run would get, as in permissions.network. */
  network: readonly string[]
  /** Names of variables that the caller wants handed through. */
  environment: readonly string[]
  /** `sha256:<hex>` of what is given along, by name: code, args, stdin. */
  digests?: Readonly<Record<string, string>> | undefined
}

/** The program that would be started: found, or why it is not taken. */
export type ExecutableFacts =
  | {
      /** As the caller named it; undefined where the language's own is taken. */
      asked?: string | undefined
      /** Without folders, such as `python3`. */
      name: string
      /** Absolute, links resolved, outside of every repository. */
      path: string
      /** Other paths of it: what is a link to it, such as the one in PATH. */
      links?: readonly string[] | undefined
    }
  | { asked?: string | undefined; problem: ExecutableProblem; sentence: string }

/** Why a program is not started. */
type ExecutableProblem =
  /** It belongs to another language. */
  | 'runtime-executable-mismatch'
  /** It is there, but where others than the operator decide what it is: inside of a repository. */
  | 'executable-not-trusted'
  | 'executable-not-found'

/** The folder in which a run would start: inside of its repository, or why it is not. */
export type CwdFacts =
  | {
      asked: string
      /** From the repository's top, links resolved; `.` is the top itself. */
      relative: string
    }
  | { asked: string; problem: 'cwd-escape-attempt'; sentence: string }
