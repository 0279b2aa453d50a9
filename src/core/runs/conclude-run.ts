import { toSkillsError } from '../../errors.ts'
import type { RecordedError, RecordedSkill, RunRecord, RunStatus } from './history/run-record.ts'
import type { BlobInfo } from '../storage/blob-store.ts'
import { digestOf } from './describe-run.ts'
import type { Redactor } from './redaction/redact.ts'
import type { RunResult } from './result.ts'
import type { RunTrace } from './trace.ts'

const MOST_TRACEBACK = 16 * 1024

/** How a run ended: with a result, or with an error that was thrown. */
export interface Conclusion {
  result: RunResult | undefined
  thrown: unknown
  trace: RunTrace
  blobs: readonly BlobInfo[]
  skills: readonly RecordedSkill[]
  redactor: Redactor
  wasCancelled: boolean
}

/** The whole record of a run that has ended. */
export function concludeRun(begun: RunRecord, conclusion: Conclusion): RunRecord {
  const { result, trace, blobs, skills } = conclusion
  const { exit, network } = trace
  const endedAt = new Date()
  return {
    ...begun,
    status: statusOf(conclusion),
    skills,
    isolation: result?.isolation ?? trace.isolation ?? null,
    ...(network && { network }),
    ended_at: endedAt.toISOString(),
    duration_ms: endedAt.getTime() - Date.parse(begun.started_at),
    exit: exit
      ? { code: exit.exitCode, signal: exit.signal, ended_because: exit.endedBecause ?? null }
      : null,
    summary: result?.summary ?? null,
    output: outputOf(result, blobs),
    error: errorOf(conclusion),
    blobs: blobs.map(({ id, kind, size, digest }) => ({
      blob_id: id,
      kind,
      size_bytes: size,
      digest,
    })),
  }
}

/** Not started is what failed before anything ran. */
function statusOf({ result, thrown, trace, wasCancelled }: Conclusion): RunStatus {
  if (result) return result.status
  const { code } = toSkillsError(thrown)
  if (code === 'run/cancelled' || wasCancelled) return 'cancelled'
  if (code === 'policy/denied') return 'refused'
  return trace.isolation ? 'failed' : 'not_started'
}

function outputOf(result: RunResult | undefined, blobs: readonly BlobInfo[]): RunRecord['output'] {
  const value = result?.output
  if (value === undefined) return null
  const stored = blobs.find(({ id }) => (value as { blob_id?: unknown } | null)?.blob_id === id)
  if (stored) return { size_bytes: stored.size, digest: stored.digest, value }
  const text = JSON.stringify(value)
  return { size_bytes: Buffer.byteLength(text), digest: digestOf(text), value }
}

function errorOf({ result, thrown, redactor }: Conclusion): RecordedError | null {
  if (result?.error) {
    const { type, message, traceback, hint, limit } = result.error
    return {
      type,
      message,
      ...(traceback === undefined ? {} : { traceback: traceback.slice(-MOST_TRACEBACK) }),
      ...(hint === undefined ? {} : { hint }),
      ...(limit === undefined ? {} : { limit }),
    }
  }
  if (result) return null
  const { code, message, hint } = toSkillsError(thrown)
  return {
    type: code,
    message: redactor.text(message),
    ...(hint === undefined ? {} : { hint: redactor.text(hint) }),
  }
}
