import type { ExpiredRuns } from '../../core/runs/history/run-store.ts'
import { selectExpired, type MeasuredRecord } from '../../core/runs/history/select-expired.ts'
import type { ObjectRef } from '../objects/objects.ts'
import type { StoredMessage } from '../engine/engine.ts'
import { readBegun, type StoredBegun } from './run-begun.ts'
import { isUnderWay, type RunContext } from './run-context.ts'
import { listEndObjects, readEnd, type StoredEnd } from './run-end.ts'
import { nameRunPart, parseBody, parseRunSubject, type RunPart } from './run-subjects.ts'
import { listObjects } from './stored-value.ts'

/**
 * Removes expired records, then the oldest ones until the quota is met. The engine removes expired
 * messages by itself as well; those are not counted.
 */
export async function expireFleetRuns(context: RunContext, dryRun: boolean): Promise<ExpiredRuns> {
  const { expired, result } = selectExpired(await measureRuns(context), context.limits)
  if (!dryRun) for (const { id } of expired) await removeRun(context, id)
  return result
}

/** Removes all messages of a run, then their objects: without a message, they only expire later. */
export async function removeRun(context: RunContext, id: string): Promise<void> {
  const { engine, objects } = context
  const [begun, end, late] = await Promise.all([
    readBegun(engine, id),
    readEnd(engine, id),
    readEnd(engine, id, 'late'),
  ])
  const remove = async (part: RunPart) => await engine.remove('runs', nameRunPart(id, part))
  if (begun) await remove('begun')
  if (late) await remove('late')
  if (end) await remove('end')
  const stored = [begun, end, late].flatMap((message) => (message ? findObjects(message) : []))
  for (const object of stored) await objects.remove(object)
  await context.onRemoved?.(id)
}

interface MeasuredRun extends MeasuredRecord {
  id: string
  isOver: boolean
}

/** Measures the runs that are over, oldest first. */
async function measureRuns(context: RunContext): Promise<MeasuredRun[]> {
  const runs = new Map<string, MeasuredRun>()
  for await (const message of context.engine.list('runs', 'r.>')) {
    const { id, part } = parseRunSubject(message.subject) ?? {}
    const stored = parseBody(message) as StoredBegun | StoredEnd | undefined
    if (id === undefined || !stored) continue
    const run = runs.get(id) ?? {
      id,
      startedMs: readStart(message, stored),
      bytes: 0,
      isOver: false,
    }
    runs.set(id, run)
    run.bytes += message.body.length
    for (const { size } of findObjects(stored)) run.bytes += size
    run.isOver = part !== 'begun' || !isUnderWay(context, id, stored)
  }
  return [...runs.values()].filter(({ isOver }) => isOver)
}

/** The start of a run; a record in an object is not read for it. */
function readStart({ storedAt }: StoredMessage, { record }: StoredBegun): number {
  return 'inline' in record ? Date.parse(record.inline.started_at) : storedAt
}

function findObjects(stored: StoredBegun | StoredEnd): ObjectRef[] {
  return 'logs' in stored ? listEndObjects(stored) : listObjects([stored.record])
}
