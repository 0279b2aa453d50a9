import { matchesFilter, isCallRecord } from '../../core/audit/filter-records.ts'
import type { AuditOrder, AuditPage, AuditQuery } from '../../core/audit/read-page.ts'
import type { Engine, StoredMessage } from '../engine/engine.ts'
import { CHAINS_PATTERN, parseChainSubject } from './chain-name.ts'
import type { AuditRecord } from '../../core/audit/audit-record.ts'
import { decodeLine } from '../../core/audit/chain.ts'

/** Size of the lines of one page. */
const MAX_PAGE_CHARS = 4 * 1024 ** 2
/** Messages that one step backwards covers at first, and at most. */
const MIN_WINDOW = 64
const MAX_WINDOW = 16_384
/** Messages after a page that are searched for the ends of its runs. */
const MAX_LOOK_AHEAD = 20_000

/**
 * Reads a page of all chains of a fleet, in the order in which the engine stored the records. The cursor
 * is a position in its stream, so records that arrive meanwhile are neither lost nor repeated.
 */
export async function readFleetPage(
  engine: Engine,
  order: AuditOrder,
  query: AuditQuery,
): Promise<AuditPage> {
  const { filter, cursor } = query
  const page = new FleetPage(query)
  if (order === 'oldest') {
    for await (const found of readForwards(engine, cursor ?? 0)) if (!page.add(found)) break
    return page.finish()
  }
  for await (const found of readBackwards(engine, cursor ?? Infinity)) if (!page.add(found)) break
  if (filter.event !== 'begun') await page.dropBegun(engine, cursor)
  return page.finish()
}

class FleetPage {
  #query: AuditQuery
  #found: PositionedRecord[] = []
  #ended = new Set<string>()
  #read = 0
  #chars = 0
  #last: PositionedRecord | undefined
  #isCut = false

  constructor(query: AuditQuery) {
    this.#query = query
  }

  /** Adds a record if it matches; false if the page ends before it. */
  add(found: PositionedRecord): boolean {
    const { filter, limit, maxRead = Infinity } = this.#query
    const { record, text } = found
    const isWanted = matchesFilter(record, filter)
    const isComplete = this.#found.length >= limit || this.#chars > MAX_PAGE_CHARS
    if ((isComplete && isWanted) || this.#read >= Math.max(maxRead, limit)) {
      this.#isCut = true
      return false
    }
    this.#read += 1
    this.#last = found
    if (isCallRecord(record) && record.event === 'ended') this.#ended.add(record.run_id)
    if (!isWanted) return true
    this.#found.push(found)
    this.#chars += text.length
    return true
  }

  /** Leaves out the beginnings of ended runs: their ends, which may be on a page before, have the same fields. */
  async dropBegun(engine: Engine, cursor: number | undefined): Promise<void> {
    const open = new Set(
      this.#found.flatMap(({ record }) =>
        isCallRecord(record) && record.event === 'begun' && !this.#ended.has(record.run_id)
          ? [record.run_id]
          : [],
      ),
    )
    if (cursor !== undefined && open.size > 0) {
      for await (const id of readEnds(engine, cursor)) {
        if (!open.delete(id)) continue
        this.#ended.add(id)
        if (open.size === 0) break
      }
    }
    this.#found = this.#found.filter(
      ({ record }) =>
        !(isCallRecord(record) && record.event === 'begun' && this.#ended.has(record.run_id)),
    )
  }

  finish(): AuditPage {
    const { limit, maxRead = Infinity } = this.#query
    const wasLong = this.#isCut && this.#read >= Math.max(maxRead, limit)
    return {
      records: this.#found.map(({ record }) => record),
      lines: this.#found.map(({ text }) => text),
      positions: this.#found.map(({ position }) => position),
      next: this.#isCut ? (this.#last?.position ?? null) : null,
      ...(wasLong && this.#found.length < limit && { readUntil: this.#last?.record.time }),
    }
  }
}

/** Yields the records after a position, oldest first. */
async function* readForwards(engine: Engine, after: number): AsyncGenerator<PositionedRecord> {
  const afterSeq = Math.max(0, toStreamSeq(after) - 1)
  for await (const message of engine.list('audit', CHAINS_PATTERN, { afterSeq })) {
    if (!parseChainSubject(message.subject)) continue
    for (const found of await readMessageRecords(engine, message)) {
      if (found.position > after) yield found
    }
  }
}

/** Yields the records before a position, newest first. The engine lists forwards only, so parts are read. */
async function* readBackwards(engine: Engine, before: number): AsyncGenerator<PositionedRecord> {
  const { firstSeq, lastSeq } = await engine.measure('audit')
  let size = MIN_WINDOW
  for (let end = Math.min(lastSeq + 1, toStreamSeq(before) + 1); end > firstSeq;) {
    const start = Math.max(firstSeq, end - size)
    const messages: StoredMessage[] = []
    const range = { afterSeq: start - 1, beforeSeq: end }
    for await (const message of engine.list('audit', CHAINS_PATTERN, range)) messages.push(message)
    for (const message of messages.toReversed()) {
      if (!parseChainSubject(message.subject)) continue
      for (const found of (await readMessageRecords(engine, message)).toReversed()) {
        if (found.position < before) yield found
      }
    }
    end = start
    size = Math.min(size * 2, MAX_WINDOW)
  }
}

/** Yields the runs whose ends were stored after a position, as far as a page looks for them. */
async function* readEnds(engine: Engine, after: number): AsyncGenerator<string> {
  const limit = toPosition(toStreamSeq(after) + MAX_LOOK_AHEAD)
  for await (const { record, position } of readForwards(engine, after - 1)) {
    if (position > limit) return
    if (isCallRecord(record) && record.event === 'ended') yield record.run_id
  }
}

/** A record, and its position among those of all chains. */
interface PositionedRecord {
  record: AuditRecord
  /** The line of the record, without its end. */
  text: string
  position: number
}

/** More than the records that one message holds, so that positions of two messages differ. */
const RECORDS_OF_MESSAGE = 4096

/** First position of the records of a message. */
function toPosition(seq: number): number {
  return seq * RECORDS_OF_MESSAGE
}

/** Position in the stream of the message that has a record. */
function toStreamSeq(position: number): number {
  return Math.floor(position / RECORDS_OF_MESSAGE)
}

/**
 * Reads the records that begin in a message of a chain, oldest first. A record that does not fit is
 * continued in later messages of its chain, which are read as well.
 */
async function readMessageRecords(
  engine: Engine,
  message: StoredMessage,
): Promise<PositionedRecord[]> {
  const lines = Buffer.from(message.body).toString().split('\n')
  const last = lines.pop() ?? ''
  // The rest of an earlier record is not a record itself.
  const open = last === '' ? undefined : await completeLine(engine, message)
  return [...lines, ...(open === undefined ? [] : [open])]
    .slice(0, RECORDS_OF_MESSAGE)
    .flatMap((text, at) => {
      const record = decodeLine(text)?.record
      return record ? [{ record, text, position: toPosition(message.seq) + at }] : []
    })
}

/** Joins the last line of a message with its rest in later ones; undefined if it has no end yet. */
async function completeLine(
  engine: Engine,
  { subject, body, seq }: StoredMessage,
): Promise<string | undefined> {
  const bytes = Buffer.from(body)
  const pieces = [bytes.subarray(bytes.lastIndexOf(0x0a) + 1)]
  for await (const next of engine.list('audit', subject, { afterSeq: seq })) {
    const end = next.body.indexOf(0x0a)
    pieces.push(Buffer.from(end === -1 ? next.body : next.body.subarray(0, end)))
    if (end !== -1) return Buffer.concat(pieces).toString()
  }
  return undefined
}
