import { createHash } from 'node:crypto'
import type { ProgramOutcome } from '../runs/job.ts'
import type { ExecuteParams } from '../methods/runtime-execute/definition.ts'
import type { ExecuteResult, Truncation } from './execute-result.ts'
import type { Phases } from './phases.ts'
import type { PreparedProgram } from './prepare-program.ts'
import { quotingWarnings } from './quoting-warnings.ts'
import { runtimeHints } from './runtime-hints.ts'
import { shortHash } from './short-hash.ts'
import type { EndedOutput } from './watch-output.ts'

/** All that an answer is made of. */
interface Performed
  extends Pick<PreparedProgram, 'execution' | 'auditHash' | 'phase' | 'compileMs'>, EndedOutput {
  outcome: ProgramOutcome
  phases: Phases
}

/** The answer in the mode and detail that were asked for. */
export function answer(
  prepared: PreparedProgram,
  outcome: ProgramOutcome,
  phases: Phases,
): ExecuteResult {
  const performed: Performed = { ...prepared, ...prepared.watched.end(outcome), outcome, phases }
  const { params } = performed.execution
  const { outputMode: mode = 'minimal', detail } = params
  const truncation = truncationOf(performed)
  const isCut = truncation.stdoutTruncated || truncation.stderrTruncated
  const result: ExecuteResult = {
    ...endOf(performed),
    ...keptIn(performed),
    ...(mode === 'minimal' ? sizesOf(performed) : shownIn(performed)),
    ...((isCut || mode !== 'minimal') && { truncation }),
    ...decisionIn(performed),
    ...stdinFacts(params),
    ...advice(performed),
    ...nextAction(performed),
    ...(detail === 'full' && whole(performed)),
    ...diagnostics(performed),
  }
  return detail === 'compact' ? withoutEmpty(result) : result
}

/** The answer for what policy refused. */
export function deniedAnswer(
  params: ExecuteParams,
  { reasons, code, auditHash }: { reasons: readonly string[]; code: string; auditHash: string },
): ExecuteResult {
  const result: ExecuteResult = {
    status: 'denied',
    ...NEVER_BEGAN,
    policyDecision: { auditHash, deniedReasons: reasons, deniedCode: code },
    nextAction: { kind: 'inspectPolicy', message: 'Ask for what the policy allows' },
  }
  return params.detail === 'compact' ? withoutEmpty(result) : result
}

/** The answer for what was cancelled before it began. */
export function cancelledAnswer(): ExecuteResult {
  return { status: 'cancelled', ...NEVER_BEGAN }
}

const NEVER_BEGAN = { exitCode: null, signal: null, durationMs: 0, artifactHandle: null } as const

function endOf(performed: Performed) {
  const { outcome, phase, compileMs } = performed
  const { status, exitCode, signal, durationMs, error } = outcome
  // Who is out of time, or over another limit, is ended by this, whatever it does with other signals.
  const isEnded = exitCode === null && (status === 'timeout' || error?.limit !== undefined)
  const ending = signal ?? (isEnded ? 'SIGKILL' : null)
  return {
    status,
    exitCode,
    signal: ending,
    durationMs,
    ...(compileMs !== undefined && !isBrief(performed) && { compileMs }),
    ...(phase === 'compile' && { phase }),
    ...(error && { error }),
  }
}

function keptIn({ outcome: { output } }: Performed) {
  if (!output) return { artifactHandle: null }
  if ('handle' in output) return { artifactHandle: output.handle }
  return { artifactHandle: null, notKept: output.message }
}

function sizesOf({ shown: { outputLines, outputBytes } }: Performed): Partial<ExecuteResult> {
  return { outputLines, outputBytes }
}

/** A success in few words has as much of the hash as it has room for. */
function decisionIn(performed: Performed): Partial<ExecuteResult> {
  const { outcome, auditHash } = performed
  if (!isBrief(performed)) return { policyDecision: { auditHash } }
  const { durationMs } = outcome
  const { outputLines, outputBytes } = performed.shown
  const facts = { durationMs, outputLines, outputBytes, ...keptIn(performed) }
  const short = shortHash(auditHash, facts)
  return short === undefined ? {} : { policyDecision: { auditHash: short } }
}

/** A success that nobody wants to know much about. */
function isBrief({ execution: { params }, outcome }: Performed): boolean {
  const { outputMode = 'minimal', detail } = params
  return outputMode === 'minimal' && outcome.status === 'success' && detail !== 'full'
}

function whole({ outcome, execution: { resolved } }: Performed): Partial<ExecuteResult> {
  const { version, candidate } = resolved
  return {
    runId: outcome.runId,
    program: { name: candidate.program, ...(version !== '' && { version }) },
    isolation: outcome.isolation,
  }
}

function shownIn({ shown }: Performed): Partial<ExecuteResult> {
  const { stdoutSummary, stderrSummary, excerpts, digest } = shown
  return {
    stdoutSummary,
    stderrSummary,
    ...(excerpts && { excerpts }),
    ...(digest && { digest }),
  }
}

function truncationOf({ outcome, taken }: Performed): Truncation {
  const { stdoutBytes, stderrBytes, truncated } = outcome
  return {
    stdoutTruncated: truncated && taken.stdout < stdoutBytes,
    stderrTruncated: truncated && taken.stderr < stderrBytes,
    totalStdoutBytes: stdoutBytes,
    totalStderrBytes: stderrBytes,
  }
}

function stdinFacts({ stdin }: ExecuteParams): Partial<ExecuteResult> {
  if (stdin === undefined) return {}
  const stdinSha256 = createHash('sha256').update(stdin).digest('hex')
  return { stdinBytes: Buffer.byteLength(stdin), stdinSha256 }
}

/** What could be done otherwise. */
function advice({ execution, outcome, lastWords }: Performed): Partial<ExecuteResult> {
  const warnings = quotingWarnings(execution.params)
  const hints = runtimeHints(execution, outcome, lastWords)
  return {
    ...(warnings.length > 0 && { quotingWarnings: warnings }),
    ...(hints.length > 0 && { runtimeHints: hints }),
  }
}

function nextAction({ outcome }: Performed): Partial<ExecuteResult> {
  if (outcome.status === 'timeout') {
    const message = 'Ask for more time with timeoutMs, or let it do less'
    return { nextAction: { kind: 'increaseTimeout', message } }
  }
  const isKept = outcome.output !== undefined && 'handle' in outcome.output
  const hasPrinted = outcome.stdoutBytes + outcome.stderrBytes > 0
  if (outcome.status !== 'failure' || !isKept || !hasPrinted) return {}
  const message = 'Ask runtime.queryOutput for lines with these terms'
  const queryTerms = ['error', 'failed', 'exception']
  return { nextAction: { kind: 'queryOutput', message, queryTerms } }
}

function diagnostics({ execution: { params }, phases }: Performed): Partial<ExecuteResult> {
  const isWanted = params.includeDiagnostics === true || params.detail === 'full'
  return isWanted ? { diagnostics: { timings: phases.timings() } } : {}
}

/** The status and what says something. */
function withoutEmpty(result: ExecuteResult): ExecuteResult {
  const entries = Object.entries(result).filter(
    ([, value]) => value !== null && value !== '' && value !== undefined,
  )
  return Object.fromEntries(entries) as unknown as ExecuteResult
}
