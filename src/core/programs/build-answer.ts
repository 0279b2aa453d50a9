import { createHash } from 'node:crypto'
import type { ProgramOutcome } from '../runs/job.ts'
import type { ExecuteParams } from '../methods/runtime-execute/definition.ts'
import type { ExecuteResult, Truncation } from './execute-result.ts'
import type { PhaseTimer } from './phase-timer.ts'
import type { PreparedProgram } from './prepare-program.ts'
import { findQuotingWarnings } from './quoting-warnings.ts'
import { findRuntimeHints } from './runtime-hints.ts'
import { shortenHash } from './short-hash.ts'
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
    ...((isCut || mode !== 'minimal') && { truncation }),
    ...describeDecision(performed),
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

function describeEnd(performed: PerformedExecution) {
  const { outcome, phase, compileMs } = performed
  const { status, exitCode, signal, durationMs, error } = outcome
  // A timeout or another limit ends a program with SIGKILL, even if it ignores other signals.
  const isEnded = exitCode === null && (status === 'timeout' || error?.limit !== undefined)
  const endSignal = signal ?? (isEnded ? 'SIGKILL' : null)
  return {
    status,
    exitCode,
    signal: endSignal,
    durationMs,
    ...(compileMs !== undefined && !isBrief(performed) && { compileMs }),
    ...(phase === 'compile' && { phase }),
    ...(error && { error }),
  }
}

function describeArtifact({ outcome: { output } }: PerformedExecution) {
  if (!output) return { artifactHandle: null }
  if ('handle' in output) return { artifactHandle: output.handle }
  return { artifactHandle: null, notKept: output.message }
}

function describeSizes({
  shown: { outputLines, outputBytes },
}: PerformedExecution): Partial<ExecuteResult> {
  return { outputLines, outputBytes }
}

/** A brief success contains a prefix of the audit hash that fits the token budget. */
function describeDecision(performed: PerformedExecution): Partial<ExecuteResult> {
  const { outcome, auditHash } = performed
  if (!isBrief(performed)) return { policyDecision: { auditHash } }
  const { durationMs } = outcome
  const { outputLines, outputBytes } = performed.shown
  const facts = { durationMs, outputLines, outputBytes, ...describeArtifact(performed) }
  const short = shortenHash(auditHash, facts)
  return short === undefined ? {} : { policyDecision: { auditHash: short } }
}

/** True if the answer is a success in minimal mode, without full detail. */
function isBrief({ execution: { params }, outcome }: PerformedExecution): boolean {
  const { outputMode = 'minimal', detail } = params
  return outputMode === 'minimal' && outcome.status === 'success' && detail !== 'full'
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

function describeTruncation({ outcome, keptBytes }: PerformedExecution): Truncation {
  const { stdoutBytes, stderrBytes, truncated } = outcome
  return {
    stdoutTruncated: truncated && keptBytes.stdout < stdoutBytes,
    stderrTruncated: truncated && keptBytes.stderr < stderrBytes,
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
  const warnings = findQuotingWarnings(execution.params)
  const hints = findRuntimeHints(execution, outcome, outputTail)
  return {
    ...(warnings.length > 0 && { quotingWarnings: warnings }),
    ...(hints.length > 0 && { runtimeHints: hints }),
  }
}

function suggestNextAction({ outcome }: PerformedExecution): Partial<ExecuteResult> {
  if (outcome.status === 'timeout') {
    const message = 'Allow more time with timeoutMs, or do less work'
    return { nextAction: { kind: 'increaseTimeout', message } }
  }
  const isKept = outcome.output !== undefined && 'handle' in outcome.output
  const hasPrinted = outcome.stdoutBytes + outcome.stderrBytes > 0
  if (outcome.status !== 'failure' || !isKept || !hasPrinted) return {}
  const message = 'Ask runtime.queryOutput for lines with these terms'
  const queryTerms = ['error', 'failed', 'exception']
  return { nextAction: { kind: 'queryOutput', message, queryTerms } }
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
