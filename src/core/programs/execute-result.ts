import type { Digest } from '../outputs/digests/digest.ts'
import type { Excerpt } from '../outputs/view/excerpt.ts'
import type { RunError } from '../runs/result.ts'
import type { Isolation } from '../sandbox/isolation.ts'

export const EXECUTE_STATUSES = [
  'success',
  'failure',
  'timeout',
  'cancelled',
  'denied',
  /** A detached run that was started. */
  'running',
] as const
type ExecuteStatus = (typeof EXECUTE_STATUSES)[number]

/** Result of `runtime.execute`. Omitted fields are empty, or belong to another mode or detail. */
export interface ExecuteResult {
  status: ExecuteStatus
  /** Null if a signal ended the program or it never started. */
  exitCode: number | null
  signal: string | null
  /** Duration of the run without compilation. */
  durationMs: number
  /** Handle for `runtime.queryOutput`; null if no output is stored. */
  artifactHandle?: string | null
  /** Both streams together, in mode minimal. */
  outputLines?: number
  outputBytes?: number
  stdoutSummary?: string
  stderrSummary?: string
  excerpts?: readonly Excerpt[]
  digest?: Digest
  /** Present if output is missing, and in the modes that show output. */
  truncation?: Truncation
  /** In mode minimal the hash is a prefix, which `skills audit ls --hash` accepts. */
  policyDecision?: PolicyDecision
  /** Number of texts that were masked in the output. */
  redactions?: number
  /** The phase that failed, if it was not the run itself. */
  phase?: 'compile'
  compileMs?: number
  /** Cause of a failure without an exit code: a limit, a program that did not start. */
  error?: RunError
  /** Reason why the output could not be stored. */
  notKept?: string
  stdinBytes?: number
  stdinSha256?: string
  /** Signs that code or arguments were changed to pass through shell quoting. */
  quotingWarnings?: readonly string[]
  /** Programs that come first in PATH and were not used, with their own explanations. */
  notices?: readonly string[]
  /** Hints about causes of a failure in the sandbox. */
  runtimeHints?: readonly string[]
  nextAction?: {
    kind: string
    message?: string
    queryTerms?: readonly string[]
  }
  diagnostics?: { timings: { totalMs: number; phases: Readonly<Record<string, number>> } }
  runId?: string
  /** The program, and its version if it had to be queried. */
  program?: { name: string; version?: string }
  isolation?: Isolation | null
  /** Bytes sent and received, if it had a network. */
  networkBytes?: number
}

export interface Truncation {
  stdoutTruncated: boolean
  stderrTruncated: boolean
  totalStdoutBytes: number
  totalStderrBytes: number
}

interface PolicyDecision {
  auditHash: string
  /** One sentence for each denial, in the order of the policy layers. */
  deniedReasons?: readonly string[]
  /** Code of the first denial. */
  deniedCode?: string
}
