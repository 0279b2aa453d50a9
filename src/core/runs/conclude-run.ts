import { cancelledError, toSkillsError } from '../../errors.ts'
import type { AuditedResult } from '../audit/audit-record.ts'
import type {
  RecordedError,
  RecordedSkill,
  RecordedUse,
  RunRecord,
  RunStatus,
} from './history/run-record.ts'
import type { BlobInfo } from '../storage/blob-store.ts'
import { computeDigest } from './compute-digest.ts'
import type { ProgramOutcome } from './job.ts'
import type { Redactor } from './redaction/redact.ts'
import type { RunResult } from './result.ts'
import type { RunPhase } from './run-phases.ts'
import type { RunTrace } from './trace.ts'

const MAX_TRACEBACK = 16 * 1024

/** The end of a run: a result or a thrown error. */
interface Conclusion {
  result: RunResult | undefined
  thrown: unknown
  trace: RunTrace
  blobs: readonly BlobInfo[]
  skills: readonly RecordedSkill[]
  redactor: Redactor
  wasCancelled: boolean
  phases: readonly RunPhase[]
}

/** Builds the complete record of an ended run. */
export function concludeRun(started: RunRecord, conclusion: Conclusion): RunRecord {
  const { result, trace, blobs, skills, phases } = conclusion
  const { exit, network, countNetworkBytes } = trace
  const endedAt = new Date()
  return {
    ...started,
    status: resolveStatus(conclusion),
    skills,
    isolation: result?.isolation ?? trace.isolation ?? null,
    ...(network && { network }),
    ...(countNetworkBytes && { network_bytes: countNetworkBytes() }),
    ended_at: endedAt.toISOString(),
    duration_ms: endedAt.getTime() - Date.parse(started.started_at),
    phases: phases.map(({ name, ms }) => ({ name, ms: Math.round(ms * 1000) / 1000 })),
    use: describeUse(conclusion),
    exit: exit
      ? { code: exit.exitCode, signal: exit.signal, ended_because: exit.endedBecause ?? null }
      : null,
    summary: result?.summary ?? null,
    output: describeOutput(result, blobs),
    error: describeError(conclusion),
    blobs: blobs.map(({ id, kind, size, digest }) => ({
      blob_id: id,
      kind,
      size_bytes: size,
      digest,
    })),
  }
}

/** `not_started` means that the run failed before anything was started. */
function resolveStatus({ result, thrown, trace, wasCancelled }: Conclusion): RunStatus {
  if (result) return result.status
  const { code } = toSkillsError(thrown)
  if (code === 'run/cancelled' || wasCancelled) return 'cancelled'
  if (code === 'policy/denied') return 'refused'
  return trace.isolation ? 'failed' : 'not_started'
}

/** Null if nothing was started. */
function describeUse({ trace }: Conclusion): RecordedUse | null {
  const { isolation, exit, countOutputBytes, countNetworkBytes } = trace
  if (!isolation) return null
  const { peakMemoryBytes, peakProcesses, workspaceBytes } = exit?.use ?? {}
  return {
    cpu_ms: roundCpuTime(exit?.cpuMs),
    memory_bytes: orNull(peakMemoryBytes),
    processes: orNull(peakProcesses),
    workspace_bytes: orNull(workspaceBytes),
    output_bytes: orNull(countOutputBytes?.()),
    network_bytes: orNull(countNetworkBytes?.()),
  }
}

function orNull(value: number | undefined): number | null {
  return value ?? null
}

/** A process uses some: zero means that its counter was gone. */
function roundCpuTime(ms = 0): number | null {
  return ms > 0 ? Math.round(ms * 1000) / 1000 : null
}

function describeOutput(
  result: RunResult | undefined,
  blobs: readonly BlobInfo[],
): RunRecord['output'] {
  const value = result?.output
  if (value === undefined) return null
  const stored = blobs.find(({ id }) => (value as { blob_id?: unknown } | null)?.blob_id === id)
  if (stored) return { size_bytes: stored.size, digest: stored.digest, value }
  const text = JSON.stringify(value)
  return { size_bytes: Buffer.byteLength(text), digest: computeDigest(text), value }
}

function describeError({ result, thrown, redactor }: Conclusion): RecordedError | null {
  if (result?.error) {
    const { type, message, traceback, hint, limit } = result.error
    return {
      type,
      message,
      ...(traceback === undefined ? {} : { traceback: traceback.slice(-MAX_TRACEBACK) }),
      ...(hint === undefined ? {} : { hint }),
      ...(limit === undefined ? {} : { limit }),
    }
  }
  if (result) return null
  // A cancelled program has neither a result nor an error.
  const { code, message, hint } = toSkillsError(thrown ?? cancelledError())
  return {
    type: code,
    message: redactor.text(message),
    ...(hint === undefined ? {} : { hint: redactor.text(hint) }),
  }
}

/** The audited result of a run that started nothing. */
export const NOT_STARTED: AuditedResult = {
  status: 'not_started',
  exit_code: null,
  signal: null,
  duration_ms: null,
  isolation: null,
}

/** Builds the audited result from the run record. */
export function toAuditedResult(record: RunRecord): AuditedResult {
  const { status, exit, duration_ms, isolation, error } = record
  return {
    status,
    exit_code: exit?.code ?? null,
    signal: exit?.signal == null ? null : String(exit.signal),
    duration_ms,
    isolation: isolation ? `${isolation.backend} ${isolation.tier}` : null,
    ...(error && { error: error.type }),
  }
}

/** Statuses of programs in the words of all runs. */
const PROGRAM_STATUSES = {
  success: 'completed',
  failure: 'failed',
  timeout: 'failed',
  cancelled: 'cancelled',
} as const satisfies Record<ProgramOutcome['status'], RunStatus>

/** Builds the audited result of a program. */
export function toAuditedOutcome(outcome: ProgramOutcome): AuditedResult {
  const { isolation, error } = outcome
  return {
    status: PROGRAM_STATUSES[outcome.status],
    exit_code: outcome.exitCode,
    signal: outcome.signal,
    duration_ms: outcome.durationMs,
    stdout_bytes: outcome.stdoutBytes,
    stderr_bytes: outcome.stderrBytes,
    isolation: isolation ? `${isolation.backend} ${isolation.tier}` : null,
    ...(outcome.status === 'timeout' ? { error: 'Timeout' } : error && { error: error.type }),
  }
}

/** `sha256:<hex>` of all outputs of a run. */
export function collectDigests({ output, blobs }: RunRecord): Record<string, string> {
  return {
    ...(output && { output: output.digest }),
    ...Object.fromEntries(blobs.map(({ blob_id, digest }) => [blob_id, digest])),
  }
}
