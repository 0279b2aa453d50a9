import { toFinishedRecord } from '../../core/runs/history/list-runs.ts'
import { isRunId, runNotFoundError } from '../../core/runs/history/run-id.ts'
import type { LateEnd, RunRecord, RunStatus } from '../../core/runs/history/run-record.ts'
import { isObjectMissing } from './read-end-logs.ts'
import { readBegun, type StoredBegun } from './run-begun.ts'
import { isExpired, isUnderWay, type RunStoreContext } from './run-context.ts'
import { readCallEnd, readEnd, type CallEnd, type StoredEnd } from './run-end.ts'
import { loadValue, type StoredValue } from './stored-value.ts'

/** A run as the stream has it, with its record for display. */
export interface FoundFleetRun {
  record: RunRecord
  begun: StoredBegun | undefined
  /** Undefined if the run has no end, or if its call ended without the record. */
  end: StoredEnd | undefined
}

/** The part of an end that has the record; an end of a call alone has none. */
export interface EndRecord {
  status: RunStatus
  record?: StoredValue<RunRecord>
}

/** Reads a run. Throws `run/not-found` if it is unknown, removed or expired. */
export async function readRun(context: RunStoreContext, id: string): Promise<FoundFleetRun> {
  if (!isRunId(id)) throw runNotFoundError(id)
  const { engine } = context
  const [begun, firstEnd] = await Promise.all([readBegun(engine, id), readCallEnd(engine, id)])
  let end = firstEnd
  // The run may have ended between the two reads, and then its node.
  if (begun && !end && !isUnderWay(context, id, begun)) end = await readCallEnd(engine, id)
  const record = await loadRecord(context, id, { begun, end })
  if (!record || isExpired(context, record)) throw runNotFoundError(id)
  return { record, begun, end: end && hasRecord(end) ? end : undefined }
}

function hasRecord(end: CallEnd): end is StoredEnd {
  return 'record' in end
}

/** Loads the record for display; undefined if the run has neither beginning nor end. */
export async function loadRecord(
  context: RunStoreContext,
  id: string,
  { begun, end }: { begun: StoredBegun | undefined; end: EndRecord | undefined },
): Promise<RunRecord | undefined> {
  const stored = end?.record ?? begun?.record
  if (!stored) return undefined
  try {
    const record = await loadValue(stored, context.objects)
    if (end?.record || (!end && begun && isUnderWay(context, id, begun))) return record
    return toFinishedRecord(record)
  } catch (error) {
    if (isObjectMissing(error)) return undefined
    throw error
  }
}

/** Reads how a run ended after it was given up; undefined if nothing was heard of it. */
export async function readLateEnd(
  context: RunStoreContext,
  id: string,
): Promise<LateEnd | undefined> {
  const late = await readEnd(context.engine, id, 'late')
  const record = await loadRecord(context, id, { begun: undefined, end: late })
  if (!record) return undefined
  const { status, ended_at, duration_ms, exit, summary, output, blobs } = record
  return { status, ended_at, duration_ms, exit, summary, output, blobs }
}
