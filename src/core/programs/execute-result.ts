import type { Digest } from '../outputs/digests/digest.ts'
import type { Excerpt } from '../outputs/view/excerpt.ts'
import type { RunError } from '../runs/result.ts'
import type { Isolation } from '../sandbox/isolation.ts'

export const EXECUTE_STATUSES = ['success', 'failure', 'timeout', 'cancelled', 'denied'] as const
type ExecuteStatus = (typeof EXECUTE_STATUSES)[number]

/** What `runtime.execute` answers; what is left out is empty, or said by another mode or detail. */
export interface ExecuteResult {
  status: ExecuteStatus
  /** Null where it was ended by a signal, or never began. */
  exitCode: number | null
  signal: string | null
  /** Of the run itself; compiling is counted apart. */
  durationMs: number
  /** What `runtime.queryOutput` takes; null where nothing is kept. */
  artifactHandle: string | null
  /** Of both streams together, in mode minimal. */
  outputLines?: number
  outputBytes?: number
  stdoutSummary?: string
  stderrSummary?: string
  excerpts?: readonly Excerpt[]
  digest?: Digest
  /** Always there where something is missing, and in the modes that show output. */
  truncation?: Truncation
  /** Of a success in mode minimal the hash is its first digits, as many as 60 tokens have room for. */
  policyDecision?: PolicyDecision
  /** Where it failed, if that was not the run itself. */
  phase?: 'compile'
  compileMs?: number
  /** Why it failed, where no exit code says it: a limit, a program that did not start. */
  error?: RunError
  /** Why its output is not kept although it was to be. */
  notKept?: string
  stdinBytes?: number
  stdinSha256?: string
  /** How code or arguments seem to have been bent to get through somebody's quoting. */
  quotingWarnings?: readonly string[]
  /** What a failure has to do with where the program ran. */
  runtimeHints?: readonly string[]
  nextAction?: { kind: string; message: string; queryTerms?: readonly string[] }
  diagnostics?: { timings: { totalMs: number; phases: Readonly<Record<string, number>> } }
  runId?: string
  /** The program that ran it, and its version where somebody had to know it. */
  program?: { name: string; version?: string }
  isolation?: Isolation | null
}

export interface Truncation {
  stdoutTruncated: boolean
  stderrTruncated: boolean
  totalStdoutBytes: number
  totalStderrBytes: number
}

interface PolicyDecision {
  auditHash: string
  /** A sentence each, in the order of the layers. */
  deniedReasons?: readonly string[]
  /** Of the first of them. */
  deniedCode?: string
}
