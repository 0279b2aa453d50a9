import type { ExpiredRuns } from '../../core/runs/history/run-store.ts'
import { selectExpired, type MeasuredRecord } from '../../core/runs/history/select-expired.ts'
import type { StoredMessage } from '../engine/engine.ts'
import { isUnderWay, type RunStoreContext } from './run-context.ts'
import { listRecordObjects, type StoredPart } from './run-objects.ts'
import { nameRunPart, parseBody, parseRunSubject } from './run-subjects.ts'

/**
 * Removes expired records, then the oldest ones until the quota is met. The engine removes expired
 * messages by itself as well; those are not counted.
 */
export async function expireFleetRuns(
  context: RunStoreContext,
  dryRun: boolean,
): Promise<ExpiredRuns> {
  const { expired, result } = selectExpired(await measureRuns(context), context.limits)
  if (!dryRun) for (const { id } of expired) await removeRun(context, id)
  return result
}

/** Removes all messages of a run, then their objects: without a message, they only expire later. */
export async function removeRun(context: RunStoreContext, id: string): Promise<void> {
  const { engine, objects, onRemoving, onRemoved } = context
  await onRemoving?.([id])
  const found: StoredPart[] = []
  // The end last: without it, the run would be active.
  for (const part of ['begun', 'late', 'end'] as const) {
    const subject = nameRunPart(id, part)
    const message = await engine.last('runs', subject)
    if (!message) continue
    const stored = parseBody(message) as StoredPart | undefined
    if (stored) found.push(stored)
    await engine.remove('runs', subject)
  }
  for (const object of found.flatMap(listRecordObjects)) await objects.remove(object)
  await onRemoved?.(id)
}

interface MeasuredFleetRun extends MeasuredRecord {
  id: string
  isOver: boolean
}

/** Measures the runs that are over, oldest first. */
async function measureRuns(context: RunStoreContext): Promise<MeasuredFleetRun[]> {
  const runs = new Map<string, MeasuredFleetRun>()
  for await (const message of context.engine.list('runs', 'r.>')) {
    const { id } = parseRunSubject(message.subject) ?? {}
    const stored = parseBody(message) as StoredPart | undefined
    if (id === undefined || !stored) continue
    const run = runs.get(id) ?? startMeasuring(id, message, stored)
    // An end of a call without a run has no record to remove.
    if (!run) continue
    runs.set(id, run)
    run.bytes += message.body.length
    for (const { size } of listRecordObjects(stored)) run.bytes += size
    run.isOver = 'status' in stored || !isUnderWay(context, id, stored)
  }
  return [...runs.values()].filter(({ isOver }) => isOver)
}

function startMeasuring(
  id: string,
  { storedAt }: StoredMessage,
  stored: StoredPart,
): MeasuredFleetRun | undefined {
  if (!('record' in stored)) return undefined
  const { record } = stored
  // A record in an object is not read for its start.
  const startedMs = 'inline' in record ? Date.parse(record.inline.started_at) : storedAt
  return { id, startedMs, bytes: 0, isOver: false }
}
