import { collectPage } from '../../core/runs/history/run-page.ts'
import { isRunId } from '../../core/runs/history/run-id.ts'
import type { RunRecord } from '../../core/runs/history/run-record.ts'
import type { RunPage, RunQuery } from '../../core/runs/history/run-store.ts'
import { invalidParamError } from '../../errors.ts'
import type { StoredMessage, Engine } from '../engine/engine.ts'
import { loadRecord, type EndRecord } from './read-run.ts'
import { parseBegun, readBegun, type StoredBegun } from './run-begun.ts'
import { isExpired, type RunStoreContext } from './run-context.ts'
import { readCallEnd, type CallEnd } from './run-end.ts'
import { parseBody, parseRunSubject } from './run-subjects.ts'

/** Milliseconds by which the clock of a node may be ahead of the engine's. */
const MAX_CLOCK_LEAD_MS = 600_000
/** Ends whose beginnings were not read yet. */
const MAX_ENDS = 1000
const CURSOR = /^at:(\d{1,15})$/

interface ListedRun {
  /** Position of the beginning of the run. */
  seq: number
  record: RunRecord
}

/** Lists runs in the order in which the engine stored their beginnings, newest first. */
export async function listFleetRuns(context: RunStoreContext, query: RunQuery): Promise<RunPage> {
  const { cursor, sinceMs = -Infinity, untilMs = Infinity, isVisible } = query
  const before = cursor === undefined ? undefined : parseListPosition(cursor)
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
  context: RunStoreContext,
  prefix: string,
  limit: number,
): Promise<string[]> {
  const start = prefix.startsWith('run_') ? prefix : `run_${prefix}`
  const isFresh = async (id: string, begun: StoredBegun) => {
    const end = await readCallEnd(context.engine, id)
    const record = await loadRecord(context, id, { begun, end })
    return record !== undefined && !isExpired(context, record)
  }
  if (isRunId(start)) {
    const begun = await readBegun(context.engine, start)
    if (begun && (await isFresh(start, begun))) return [start]
  }
  const found: string[] = []
  const parse = (message: StoredMessage) => {
    const { id = '' } = parseRunSubject(message.subject) ?? {}
    const begun = id.startsWith(start) ? parseBegun(message) : undefined
    return begun && { id, begun }
  }
  for await (const { id, begun } of listBackwards(context.engine, {
    pattern: 'r.*.begun',
    parse,
  })) {
    if (found.length >= limit) break
    if (await isFresh(id, begun)) found.push(id)
  }
  return found
}

async function* iterateRuns(
  context: RunStoreContext,
  { before: beforeSeq, sinceMs }: { before: number | undefined; sinceMs: number },
): AsyncGenerator<ListedRun> {
  // An end is stored after its beginning, so that it is read first.
  const ends = new Map<string, EndRecord>()
  for await (const message of listBackwards(context.engine, {
    pattern: 'r.>',
    beforeSeq,
    parse: parseListed,
  })) {
    const { id, seq, storedAt, begun, end } = message
    if (storedAt < sinceMs - MAX_CLOCK_LEAD_MS) return
    if (end) ends.set(id, end)
    // Those of calls without a run stay; an end that is dropped is read again when it is needed.
    if (ends.size > MAX_ENDS) ends.clear()
    if (!begun) continue
    // The end may be after the position at which the page begins.
    const found = ends.get(id) ?? (await readCallEnd(context.engine, id))
    ends.delete(id)
    const record = await loadRecord(context, id, { begun, end: found })
    if (record && !isExpired(context, record)) yield { seq, record }
  }
}

/** A message of a run, without its logs and answer. */
interface ListedMessage {
  id: string
  seq: number
  storedAt: number
  begun?: StoredBegun | undefined
  end?: EndRecord | undefined
}

function parseListed(message: StoredMessage): ListedMessage | undefined {
  const { id, part } = parseRunSubject(message.subject) ?? {}
  if (id === undefined || part === 'late') return undefined
  const { seq, storedAt } = message
  if (part === 'begun') return { id, seq, storedAt, begun: parseBegun(message) }
  const end = parseBody(message) as CallEnd | undefined
  return { id, seq, storedAt, end: end && stripEnd(end) }
}

function stripEnd(end: CallEnd): EndRecord {
  const { status } = end
  return 'record' in end ? { status, record: end.record } : { status }
}

function parseListPosition(cursor: string): number {
  const [, seq] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  if (seq === undefined) throw invalidParamError('cursor', 'it is not a cursor of a page of runs')
  return Number(seq)
}

/** Positions of the stream that are read at once: fewer where messages are dense. */
const WINDOW = 256
const MAX_WINDOW = 16 * 1024

interface BackwardsOptions<T> {
  pattern: string
  beforeSeq?: number | undefined
  /** Returns what is needed of a message, which may be much smaller; undefined to leave it out. */
  parse: (message: StoredMessage) => T | undefined
}

/**
 * Yields what was parsed from the messages of the stream `runs` that match, newest first, from before
 * a position. Messages that are stored meanwhile are not among them.
 */
async function* listBackwards<T>(
  engine: Engine,
  { pattern, beforeSeq = Infinity, parse }: BackwardsOptions<T>,
): AsyncGenerator<T> {
  const { firstSeq, lastSeq } = await engine.measure('runs')
  const first = Math.max(firstSeq, 1)
  let before = Math.min(beforeSeq, lastSeq + 1)
  let size = WINDOW
  while (before > first) {
    const start = Math.max(before - size, first)
    const window: T[] = []
    let found = 0
    const range = { afterSeq: start - 1, beforeSeq: before }
    for await (const message of engine.list('runs', pattern, range)) {
      found += 1
      const parsed = parse(message)
      if (parsed !== undefined) window.push(parsed)
    }
    yield* window.toReversed()
    before = start
    size = found < WINDOW / 4 ? Math.min(size * 2, MAX_WINDOW) : WINDOW
  }
}
