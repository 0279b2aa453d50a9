import { createHash } from 'node:crypto'
import type { ProgramOutcome } from '../runs/job.ts'
import type { ExecuteParams } from '../methods/runtime-execute/definition.ts'
import { describeNotices } from './describe-notices.ts'
import type { ExecuteResult, Truncation } from './execute-result.ts'
import type { PhaseTimer } from './phase-timer.ts'
import type { PreparedProgram } from './prepare-program.ts'
import { findQuotingWarnings } from './quoting-warnings.ts'
import { findRuntimeHints } from './runtime-hints.ts'
import type { EndedOutput } from './watch-output.ts'

/** Input of an answer. */
interface PerformedExecution
  extends Pick<PreparedProgram, 'execution' | 'auditHash' | 'phase' | 'compileMs'>, EndedOutput {
  outcome: ProgramOutcome
  phases: PhaseTimer
}

/** Builds the answer in the requested output mode and detail. */
export function buildAnswer(
  prepared: PreparedProgram,
  outcome: ProgramOutcome,
  phases: PhaseTimer,
): ExecuteResult {
  const performed: PerformedExecution = {
    ...prepared,
    ...prepared.watched.end(outcome),
    outcome,
    phases,
  }
  const { params } = performed.execution
  const { outputMode: mode = 'minimal', detail } = params
  const truncation = describeTruncation(performed)
  const isCut = truncation.stdoutTruncated || truncation.stderrTruncated
  const result: ExecuteResult = {
    ...describeEnd(performed),
    ...describeArtifact(performed),
    ...(mode === 'minimal' ? describeSizes(performed) : describeShownOutput(performed)),
    ...describeRedactions(performed),
    ...((isCut || mode !== 'minimal') && { truncation }),
    policyDecision: describeDecision(performed),
    ...describeStdin(params),
    ...describeAdvice(performed),
    ...suggestNextAction(performed),
    ...(detail === 'full' && describeRunDetails(performed)),
    ...describeDiagnostics(performed),
  }
  return detail === 'compact' ? removeEmptyFields(result) : result
}

/** Builds the answer to a request that the policy denied. */
export function buildDeniedAnswer(
  params: ExecuteParams,
  { reasons, code, auditHash }: { reasons: readonly string[]; code: string; auditHash: string },
): ExecuteResult {
  const result: ExecuteResult = {
    status: 'denied',
    ...NOT_STARTED_FIELDS,
    truncation: NOTHING_TRUNCATED,
    policyDecision: { auditHash, deniedReasons: reasons, deniedCode: code },
    nextAction: { kind: 'inspectPolicy', message: 'Request only what the policy allows' },
  }
  return params.detail === 'compact' ? removeEmptyFields(result) : result
}

/** Builds the answer to a request that was cancelled before it started. */
export function buildCancelledAnswer(): ExecuteResult {
  return { status: 'cancelled', ...NOT_STARTED_FIELDS }
}

const NOT_STARTED_FIELDS = {
  exitCode: null,
  signal: null,
  durationMs: 0,
  artifactHandle: null,
} as const

const NOTHING_TRUNCATED: Truncation = {
  stdoutTruncated: false,
  stderrTruncated: false,
  totalStdoutBytes: 0,
  totalStderrBytes: 0,
}

function describeEnd(performed: PerformedExecution) {
  const { outcome, phase, compileMs } = performed
  const { status, exitCode, signal, durationMs, error } = outcome
  const brief = isBrief(performed)
  // A timeout or another limit ends a program with SIGKILL if it does not end by itself.
  const isEnded = exitCode === null && (status === 'timeout' || error?.limit !== undefined)
  const endSignal = signal ?? (isEnded ? 'SIGKILL' : null)
  return {
    status,
    exitCode,
    signal: endSignal,
    durationMs,
    ...(compileMs !== undefined && !brief && { compileMs }),
    ...(phase === 'compile' && { phase }),
    // The status says all about a timeout.
    ...(error && !(brief && status === 'timeout') && { error }),
  }
}

function describeArtifact({ outcome, execution }: PerformedExecution) {
  const { output, stdoutBytes, stderrBytes } = outcome
  if (!output) {
    const bytes = execution.params.persistOutput === false ? stdoutBytes + stderrBytes : 0
    const notKept = `${bytes} bytes of output are not stored: persistOutput is false`
    return { artifactHandle: null, ...(bytes > 0 && { notKept }) }
  }
  if ('handle' in output) return { artifactHandle: output.handle }
  return { artifactHandle: null, notKept: output.message }
}

function describeSizes({ shown: { outputLines, outputBytes } }: PerformedExecution): {
  outputLines: number
  outputBytes: number
} {
  return { outputLines, outputBytes }
}

function describeRedactions({ outcome }: PerformedExecution): { redactions?: number } {
  const { secrets, patterns } = outcome.redactions ?? { secrets: 0, patterns: 0 }
  return secrets + patterns === 0 ? {} : { redactions: secrets + patterns }
}

/** Digits of the audit hash in a brief answer: enough to find its record. */
const BRIEF_HASH_DIGITS = 12

function describeDecision(performed: PerformedExecution): { auditHash: string } {
  const { auditHash } = performed
  return { auditHash: isBrief(performed) ? auditHash.slice(0, BRIEF_HASH_DIGITS) : auditHash }
}

/** True in mode minimal without full detail: the answer has at most 80 tokens. */
function isBrief({ execution: { params } }: PerformedExecution): boolean {
  const { outputMode = 'minimal', detail } = params
  return outputMode === 'minimal' && detail !== 'full'
}

function describeRunDetails({
  outcome,
  execution: { resolved },
}: PerformedExecution): Partial<ExecuteResult> {
  const { version, candidate } = resolved
  return {
    runId: outcome.runId,
    program: { name: candidate.program, ...(version !== '' && { version }) },
    isolation: outcome.isolation,
    ...(outcome.networkBytes !== undefined && { networkBytes: outcome.networkBytes }),
  }
}

function describeShownOutput({ shown }: PerformedExecution): Partial<ExecuteResult> {
  const { stdoutSummary, stderrSummary, excerpts, digest } = shown
  return {
    stdoutSummary,
    stderrSummary,
    ...(excerpts && { excerpts }),
    ...(digest && { digest }),
  }
}

function describeTruncation({ outcome }: PerformedExecution): Truncation {
  const { stdoutBytes, stderrBytes, omitted = { stdout: 0, stderr: 0 } } = outcome
  return {
    stdoutTruncated: omitted.stdout > 0,
    stderrTruncated: omitted.stderr > 0,
    totalStdoutBytes: stdoutBytes,
    totalStderrBytes: stderrBytes,
  }
}

function describeStdin({ stdin }: ExecuteParams): Partial<ExecuteResult> {
  if (stdin === undefined) return {}
  const stdinSha256 = createHash('sha256').update(stdin).digest('hex')
  return { stdinBytes: Buffer.byteLength(stdin), stdinSha256 }
}

/** Suggestions for the next request. */
function describeAdvice({
  execution,
  outcome,
  outputTail,
}: PerformedExecution): Partial<ExecuteResult> {
  const notices = describeNotices(execution)
  const warnings = findQuotingWarnings(execution.params)
  const hints = findRuntimeHints(execution, outcome, outputTail)
  return {
    ...(notices.length > 0 && { notices }),
    ...(warnings.length > 0 && { quotingWarnings: warnings }),
    ...(hints.length > 0 && { runtimeHints: hints }),
  }
}

function suggestNextAction(performed: PerformedExecution): Partial<ExecuteResult> {
  const { outcome } = performed
  const brief = isBrief(performed)
  if (outcome.status === 'timeout') {
    const message = 'Allow more time with timeoutMs (at most run.max_timeout), or do less work'
    return { nextAction: { kind: 'increaseTimeout', ...(!brief && { message }) } }
  }
  const isKept = outcome.output !== undefined && 'handle' in outcome.output
  const hasPrinted = outcome.stdoutBytes + outcome.stderrBytes > 0
  if (outcome.status !== 'failure' || !isKept || !hasPrinted) return {}
  const message = 'Ask runtime.queryOutput for lines with these terms'
  const queryTerms = ['error', 'failed', 'exception']
  return { nextAction: { kind: 'queryOutput', ...(!brief && { message, queryTerms }) } }
}

function describeDiagnostics({
  execution: { params },
  phases,
}: PerformedExecution): Partial<ExecuteResult> {
  const isWanted = params.includeDiagnostics === true || params.detail === 'full'
  return isWanted ? { diagnostics: { timings: phases.timings() } } : {}
}

/** Keeps the fields that have a value. */
function removeEmptyFields(result: ExecuteResult): ExecuteResult {
  const entries = Object.entries(result).filter(
    ([, value]) => value !== null && value !== '' && value !== undefined,
  )
  return Object.fromEntries(entries) as unknown as ExecuteResult
}
