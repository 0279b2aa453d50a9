import type { RunSummary, CallerRun } from '../../methods/run-view.ts'
import type { Services } from '../../services.ts'
import type { PlainObject } from '../../skills/manifest/manifest.ts'
import { toSkillsError } from '../../../errors.ts'
import type { RunRecord, RunStatus } from '../history/run-record.ts'
import type { DetachedRun } from './detached-run.ts'
import type { FoundRun } from './find-run.ts'

/** Describes the state of a run from its record, and from the files of a detached one. */
export async function describeFoundRun(
  services: Pick<Services, 'runs'>,
  { id, detached, recordedId }: Pick<FoundRun, 'id' | 'detached' | 'recordedId'>,
): Promise<CallerRun> {
  const record = await readRecord(services, recordedId)
  if (!detached) return describeRecord(record as RunRecord)
  const { start, end, isCancelling } = detached
  const status = resolveDetachedStatus(detached, record)
  const isRunning = status === 'running'
  return {
    run_id: id,
    kind: start.kind,
    status,
    detached: true,
    ...(isCancelling && isRunning && { cancelling: true }),
    ...describeTimes(detached),
    ...describeEnd(isRunning ? undefined : record),
    error: isRunning ? null : explainEnd(detached, record),
    ...(end?.result !== undefined && { result: end.result as PlainObject }),
  }
}

/** The end of a killed run is not known. */
function describeTimes({
  start,
  end,
}: DetachedRun): Pick<CallerRun, 'started_at' | 'ended_at' | 'duration_ms'> {
  const { started_at } = start
  const duration = end && Date.parse(end.ended_at) - Date.parse(started_at)
  return { started_at, ended_at: end?.ended_at ?? null, duration_ms: duration ?? null }
}

/** Selects the fields of lists. */
export function summarizeRun(view: CallerRun): RunSummary {
  const {
    exit: _,
    log_bytes: _bytes,
    summary: _text,
    error: _error,
    result: _result,
    ...rest
  } = view
  return rest
}

function describeRecord(record: RunRecord): CallerRun {
  const { run_id: id, kind, status, started_at, ended_at, duration_ms, error } = record
  const isRunning = status === 'running'
  return {
    run_id: id,
    kind,
    status,
    detached: false,
    started_at,
    ended_at,
    duration_ms,
    ...describeEnd(isRunning ? undefined : record),
    error: error && { ...error },
  }
}

function describeEnd(
  record: RunRecord | undefined,
): Pick<CallerRun, 'exit' | 'log_bytes' | 'summary'> {
  return {
    exit: record?.exit ?? null,
    log_bytes: record?.logs.kept_bytes ?? null,
    summary: record?.summary ?? null,
  }
}

/** The end of a run decides, not its record: the end is written last. */
function resolveDetachedStatus(
  { end, isLost }: DetachedRun,
  record: RunRecord | undefined,
): RunStatus {
  if (!end && !isLost) return 'running'
  if (record && record.status !== 'running') return record.status
  if (!end) return 'interrupted'
  // The record was removed, or could not be written.
  if (end.error) return end.error.code === 'run/cancelled' ? 'cancelled' : 'failed'
  const { status } = end.result as { status?: string }
  if (status === 'cancelled') return 'cancelled'
  return status === 'success' || status === 'completed' ? 'completed' : 'failed'
}

function explainEnd(
  { end, isLost }: DetachedRun,
  record: RunRecord | undefined,
): CallerRun['error'] {
  if (record?.error) return { ...record.error }
  if (end?.error) {
    const { code, message, hint } = end.error
    return { type: code, message, ...(hint !== undefined && { hint }) }
  }
  if (!isLost || record?.status === 'completed') return null
  const message = 'The process that performed the run was killed before the run ended'
  return { type: 'run/interrupted', message, hint: 'Start the run again' }
}

async function readRecord(
  { runs }: Pick<Services, 'runs'>,
  id: string | undefined,
): Promise<RunRecord | undefined> {
  if (id === undefined) return undefined
  try {
    return await (await runs()).get(id)
  } catch (error) {
    if (toSkillsError(error).code === 'run/not-found') return undefined
    throw error
  }
}
