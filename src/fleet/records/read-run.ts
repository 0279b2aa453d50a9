import { toFinishedRecord } from '../../core/runs/history/list-runs.ts'
import { isRunId, runNotFoundError } from '../../core/runs/history/run-id.ts'
import type { LateEnd, RunRecord } from '../../core/runs/history/run-record.ts'
import { isObjectMissing } from './read-end-logs.ts'
import { readBegun, type StoredBegun } from './run-begun.ts'
import { isExpired, isUnderWay, type RunContext } from './run-context.ts'
import { readEnd, type StoredEnd } from './run-end.ts'
import { loadValue, type StoredValue } from './stored-value.ts'

/** A run as the stream has it, with its record for display. */
export interface ReadRun {
  record: RunRecord
  begun: StoredBegun | undefined
  end: StoredEnd | undefined
}

/** Reads a run. Throws `run/not-found` if it is unknown, removed or expired. */
export async function readRun(context: RunContext, id: string): Promise<ReadRun> {
  if (!isRunId(id)) throw runNotFoundError(id)
  const { engine } = context
  const [begun, firstEnd] = await Promise.all([readBegun(engine, id), readEnd(engine, id)])
  let end = firstEnd
  // The run may have ended between the two reads, and then its node.
  if (begun && !end && !isUnderWay(context, id, begun)) end = await readEnd(engine, id)
  const record = await loadRecord(context, id, { begun, end: end?.record })
  if (!record || isExpired(context, record)) throw runNotFoundError(id)
  return { record, begun, end }
}

/** Loads the record for display; undefined if the run has neither beginning nor end. */
export async function loadRecord(
  context: RunContext,
  id: string,
  { begun, end }: { begun: StoredBegun | undefined; end: StoredValue<RunRecord> | undefined },
): Promise<RunRecord | undefined> {
  const stored = end ?? begun?.record
  if (!stored) return undefined
  try {
    const record = await loadValue(stored, context.objects)
    if (end || (begun && isUnderWay(context, id, begun))) return record
    return toFinishedRecord(record)
  } catch (error) {
    if (isObjectMissing(error)) return undefined
    throw error
  }
}

/** Reads how a run ended after it was given up; undefined if nothing was heard of it. */
export async function readLateEnd(context: RunContext, id: string): Promise<LateEnd | undefined> {
  const late = await readEnd(context.engine, id, 'late')
  const record = await loadRecord(context, id, { begun: undefined, end: late?.record })
  if (!record) return undefined
  const { status, ended_at, duration_ms, exit, summary, output, blobs } = record
  return { status, ended_at, duration_ms, exit, summary, output, blobs }
}
