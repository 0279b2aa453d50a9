import type { AuditedResult } from '../audit/audit-record.ts'
import { toSkillsError } from '../../errors.ts'
import type { Performed } from './answer.ts'

/** How a call ended, as the audit log has it. */
export function endedResult(performed: Performed | undefined, thrown: unknown): AuditedResult {
  if (!performed) {
    return {
      status: 'not_started',
      exit_code: null,
      signal: null,
      duration_ms: null,
      isolation: null,
      error: toSkillsError(thrown).code,
    }
  }
  const { outcome } = performed
  const { isolation, error } = outcome
  return {
    status: outcome.status,
    exit_code: outcome.exitCode,
    signal: outcome.signal,
    duration_ms: outcome.durationMs,
    stdout_bytes: outcome.stdoutBytes,
    stderr_bytes: outcome.stderrBytes,
    isolation: isolation ? `${isolation.backend} ${isolation.tier}` : null,
    ...(error && { error: error.type }),
  }
}

/** Of what it printed, where that is kept. */
export function endedDigests(performed: Performed | undefined): Record<string, string> {
  const output = performed?.outcome.output
  if (!output || !('streams' in output)) return {}
  const { stdout, stderr } = output.streams
  return { stdout: `sha256:${stdout.sha256}`, stderr: `sha256:${stderr.sha256}` }
}
