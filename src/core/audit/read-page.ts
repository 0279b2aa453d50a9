import { getFirstSeq } from './audit-paths.ts'
import type { AuditRecord } from './audit-record.ts'
import type { AuditSource } from './audit-source.ts'
import { decodeLine } from './chain.ts'
import { isCallRecord, matchesFilter, type AuditFilter } from './filter-records.ts'

/** Order of the records of a page. */
export type AuditOrder = 'newest' | 'oldest'

/** A part of the log. */
export interface AuditQuery {
  filter: AuditFilter
  limit: number
  /** Position of the last record of the previous page. */
  cursor?: number | undefined
  /** Records that one page reads at most. */
  maxRead?: number | undefined
}

export interface AuditPage {
  records: AuditRecord[]
  /** The same records as their lines, unchanged. */
  lines: string[]
  /** In a fleet, the position of each record among those of all chains; else it is the record's number. */
  positions?: number[] | undefined
  /** Cursor of the next page; null if the log has no further records. */
  next: number | null
  /** Time of the last record that was read, if the page ended because many were read. */
  readUntil?: string | undefined
}

/** Size of the lines of one page. */
const MAX_PAGE_CHARS = 4 * 1024 ** 2

/**
 * Reads the newest matching records. The `begun` record of an ended run is left out, because its
 * `ended` record contains the same fields.
 */
export async function readNewestPage(source: AuditSource, query: AuditQuery): Promise<AuditPage> {
  const { filter, cursor = Infinity } = query
  const page = new PageBuilder(query)
  const ended = new Set<string>()
  for (const segment of (await source.segments()).toReversed()) {
    for await (const text of flattenBatches(segment.newestFirst())) {
      const record = decodeLine(text)?.record
      if (!record) continue
      const isSuperseded = noteEnd(record, ended) && filter.event !== 'begun'
      if (record.seq >= cursor) continue
      const isWanted = !isSuperseded && matchesFilter(record, filter)
      if (!page.add({ record, text, isWanted })) return page.end()
    }
  }
  return page.finish()
}

/** Remembers ended runs. True for the beginning of one of them. */
function noteEnd(record: AuditRecord, ended: Set<string>): boolean {
  if (!isCallRecord(record)) return false
  if (record.event === 'ended') ended.add(record.run_id)
  return record.event === 'begun' && ended.has(record.run_id)
}

/** Reads the oldest matching records. All are included, so that their chain can be verified. */
export async function readOldestPage(source: AuditSource, query: AuditQuery): Promise<AuditPage> {
  const { filter, cursor = 0 } = query
  const page = new PageBuilder(query)
  const segments = await source.segments()
  for (const [at, segment] of segments.entries()) {
    const next = segments[at + 1]
    if (next && isBefore(next.name, cursor)) continue
    for await (const { text, isWhole } of flattenBatches(segment.lines())) {
      const record = isWhole ? decodeLine(text)?.record : undefined
      if (!record || record.seq <= cursor) continue
      const isWanted = matchesFilter(record, filter)
      if (!page.add({ record, text, isWanted })) return page.end()
    }
  }
  return page.finish()
}

/** True if a segment of the data directory has no record of an earlier page before it. */
function isBefore(name: string, cursor: number): boolean {
  const first = getFirstSeq(name)
  return first > 0 && first <= cursor + 1
}

class PageBuilder {
  #records: AuditRecord[] = []
  #lines: string[] = []
  #limit: number
  #left: number
  #chars = 0
  #last: AuditRecord | undefined

  constructor({ limit, maxRead = Infinity }: AuditQuery) {
    this.#limit = limit
    this.#left = Math.max(maxRead, limit)
  }

  /** Reads a record; false if the page has to end before it. */
  add({
    record,
    text,
    isWanted,
  }: {
    record: AuditRecord
    text: string
    isWanted: boolean
  }): boolean {
    const isComplete = this.#records.length === this.#limit || this.#chars > MAX_PAGE_CHARS
    if ((isComplete && isWanted) || this.#left === 0) return false
    this.#left -= 1
    this.#last = record
    if (!isWanted) return true
    this.#records.push(record)
    this.#lines.push(text)
    this.#chars += text.length
    return true
  }

  /** Ends the page before the end of the log. */
  end(): AuditPage {
    const { seq, time } = this.#last ?? { seq: 0, time: '' }
    const wasCut = this.#left === 0 && this.#records.length < this.#limit
    return { ...this.finish(), next: seq, ...(wasCut && { readUntil: time }) }
  }

  finish(): AuditPage {
    return { records: this.#records, lines: this.#lines, next: null }
  }
}

async function* flattenBatches<Line>(
  batches: AsyncIterable<readonly Line[]>,
): AsyncGenerator<Line> {
  for await (const batch of batches) yield* batch
}
