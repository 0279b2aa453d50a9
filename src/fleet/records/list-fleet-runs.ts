import { collectPage } from '../../core/runs/history/run-page.ts'
import { isRunId } from '../../core/runs/history/run-id.ts'
import type { RunRecord } from '../../core/runs/history/run-record.ts'
import type { RunPage, RunQuery } from '../../core/runs/history/run-store.ts'
import { invalidParamError } from '../../errors.ts'
import type { StoredMessage } from '../engine/engine.ts'
import { listBackwards } from './list-backwards.ts'
import { loadRecord } from './read-run.ts'
import { parseBegun, readBegun, type StoredBegun } from './run-begun.ts'
import { isExpired, type RunContext } from './run-context.ts'
import { parseEnd, readEnd } from './run-end.ts'
import { parseRunSubject } from './run-subjects.ts'
import type { StoredValue } from './stored-value.ts'

/** Milliseconds by which the clock of a node may be ahead of the engine's. */
const MAX_CLOCK_LEAD_MS = 600_000
const CURSOR = /^at:(\d{1,15})$/

interface ListedRun {
  /** Position of the beginning of the run. */
  seq: number
  record: RunRecord
}

type EndRecord = StoredValue<RunRecord>

/** Lists runs in the order in which the engine stored their beginnings, newest first. */
export async function listFleetRuns(context: RunContext, query: RunQuery): Promise<RunPage> {
  const { cursor, sinceMs = -Infinity, untilMs = Infinity, isVisible } = query
  const before = cursor === undefined ? undefined : decodeCursor(cursor)
  const isWanted = (record: RunRecord) => {
    const startedMs = Date.parse(record.started_at)
    return startedMs >= sinceMs && startedMs < untilMs && isVisible?.(record) !== false
  }
  return await collectPage(
    iterateRuns(context, { before, sinceMs }),
    { ...query, isVisible: isWanted },
    ({ seq }) => Buffer.from(`at:${seq}`).toString('base64url'),
  )
}

/**
 * Finds ids by prefix, newest first. The stream has no index of them, so that all runs are read; a
 * complete id is looked up, and is then the only result.
 */
export async function findFleetRuns(
  context: RunContext,
  prefix: string,
  limit: number,
): Promise<string[]> {
  const start = prefix.startsWith('run_') ? prefix : `run_${prefix}`
  const isFresh = async (id: string, begun: StoredBegun) => {
    const end = await readEnd(context.engine, id)
    const record = await loadRecord(context, id, { begun, end: end?.record })
    return record !== undefined && !isExpired(context, record)
  }
  if (isRunId(start)) {
    const begun = await readBegun(context.engine, start)
    if (begun && (await isFresh(start, begun))) return [start]
  }
  const found: string[] = []
  for await (const message of listBackwards(context.engine, 'r.*.begun')) {
    if (found.length >= limit) break
    const { id = '' } = parseRunSubject(message.subject) ?? {}
    const begun = id.startsWith(start) ? parseBegun(message) : undefined
    if (begun && (await isFresh(id, begun))) found.push(id)
  }
  return found
}

async function* iterateRuns(
  context: RunContext,
  { before, sinceMs }: { before: number | undefined; sinceMs: number },
): AsyncGenerator<ListedRun> {
  // An end is stored after its beginning, so that it is read first.
  const ends = new Map<string, EndRecord>()
  for await (const message of listBackwards(context.engine, 'r.>', before)) {
    if (message.storedAt < sinceMs - MAX_CLOCK_LEAD_MS) return
    const { id = '', part } = parseRunSubject(message.subject) ?? {}
    if (part === 'end') {
      const end = parseEnd(message)
      if (end) ends.set(id, end.record)
    }
    if (part !== 'begun') continue
    const end = ends.get(id)
    ends.delete(id)
    const record = await readListed(context, id, { message, end })
    if (record && !isExpired(context, record)) yield { seq: message.seq, record }
  }
}

/** Loads the record of a run. Its end may be after the position at which the page begins. */
async function readListed(
  context: RunContext,
  id: string,
  { message, end }: { message: StoredMessage; end: EndRecord | undefined },
): Promise<RunRecord | undefined> {
  const found = end ?? (await readEnd(context.engine, id))?.record
  return await loadRecord(context, id, { begun: parseBegun(message), end: found })
}

function decodeCursor(cursor: string): number {
  const [, seq] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  if (seq === undefined) throw invalidParamError('cursor', 'it is not a cursor of a page of runs')
  return Number(seq)
}
