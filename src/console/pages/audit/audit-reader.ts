import type { ListAuditRecordsParams } from '../../../core/methods/list-audit-records/definition.ts'
import { callMethod } from '../../app/api.ts'
import { appendOlder, listRows, prependNewer, type ListedRow } from '../../models/audit-rows.ts'

const PAGE_SIZE = 200
/** From one reading of newer records to the next. */
const PAUSE_MS = 1000

export interface AuditRows {
  rows: readonly ListedRow[]
  /** Cursor of older records; null after the oldest, undefined before the first page. */
  next: number | null | undefined
  /** Time up to which older records were searched without a match. */
  readUntil: string | undefined
}

export const NO_ROWS: AuditRows = { rows: [], next: undefined, readUntil: undefined }

interface ReaderEvents {
  onRows: (rows: AuditRows) => void
  onError: (error: unknown) => void
}

/** Reads the records of one filter, page by page. */
export class AuditReader {
  #filter: ListAuditRecordsParams
  #events: ReaderEvents
  #found = NO_ROWS
  #isReading = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #aborted = new AbortController()

  constructor(filter: ListAuditRecordsParams, events: ReaderEvents) {
    this.#filter = filter
    this.#events = events
  }

  readFirst(): void {
    void this.#read(undefined, (page) => page)
  }

  /** Puts records that are new before the others, or reads all again if there are many. */
  readNewer(): void {
    // Runs end more often than the log can be read.
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      if (this.#isReading) this.readNewer()
      else this.#readNewest()
    }, PAUSE_MS)
  }

  #readNewest(): void {
    void this.#read(undefined, (page) => {
      const rows = prependNewer(this.#found.rows, page.rows)
      return rows ? cutOldest({ ...this.#found, rows, next: this.#found.next ?? page.next }) : page
    })
  }

  readOlder(): void {
    const { next } = this.#found
    if (this.#isReading || next === null || next === undefined) return
    void this.#read(next, (page) => ({
      ...page,
      rows: appendOlder(this.#found.rows, page.rows),
    }))
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#aborted.abort()
  }

  async #read(cursor: number | undefined, merge: (page: AuditRows) => AuditRows): Promise<void> {
    const { signal } = this.#aborted
    this.#isReading = true
    try {
      const page = await callMethod(
        'list_audit_records',
        { ...this.#filter, limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) },
        { signal },
      )
      if (signal.aborted) return
      const { next_cursor: next, read_until: readUntil } = page
      const rows = listRows(page)
      this.#found = merge({ rows, next, readUntil })
      this.#events.onRows(this.#found)
    } catch (error) {
      if (!signal.aborted) this.#events.onError(error)
    } finally {
      this.#isReading = false
    }
  }
}

/** Rows that a page keeps which is open for days. Older ones are read again when they are asked for. */
const MAX_ROWS = 20_000

function cutOldest(found: AuditRows): AuditRows {
  if (found.rows.length <= MAX_ROWS) return found
  const rows = found.rows.slice(0, MAX_ROWS)
  return { ...found, rows, next: rows.at(-1)?.position ?? null }
}
