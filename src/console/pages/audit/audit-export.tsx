import { useRef, useState } from 'preact/hooks'
import type { ListAuditRecordsParams } from '../../../core/methods/list-audit-records/definition.ts'
import { callMethod } from '../../app/api.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { saveFile } from '../../app/save-file.ts'
import { CSV_HEADER, formatCsvLine, type AuditRow } from '../../models/audit-rows.ts'
import { formatCount } from '../../models/quantities.ts'

const PAGE_SIZE = 5000

type Format = 'jsonl' | 'csv'

const MIME_TYPES: Readonly<Record<Format, string>> = {
  jsonl: 'application/x-ndjson',
  csv: 'text/csv;charset=utf-8',
}

/** Saves all records that match, oldest first. Lines of JSON are those of the log, unchanged. */
export function AuditExport({ filter }: { filter: ListAuditRecordsParams }) {
  const [read, setRead] = useState<number>()
  const [error, setError] = useState<unknown>()
  const running = useRef<AbortController>(null)
  const save = async (format: Format) => {
    const aborted = new AbortController()
    running.current = aborted
    setError(undefined)
    setRead(0)
    try {
      const parts = await readParts(filter, format, {
        signal: aborted.signal,
        onRead: setRead,
      })
      saveFile(`audit.${format}`, new Blob(parts, { type: MIME_TYPES[format] }))
    } catch (thrown) {
      if (!aborted.signal.aborted) setError(thrown)
    }
    setRead(undefined)
  }
  return (
    <span class="export">
      {read === undefined ? (
        <>
          <button type="button" onClick={() => void save('jsonl')}>
            Export JSONL
          </button>{' '}
          <button type="button" onClick={() => void save('csv')}>
            Export CSV
          </button>
        </>
      ) : (
        <>
          <span role="status">{formatCount(read)} records read</span>{' '}
          <button type="button" onClick={() => running.current?.abort()}>
            Cancel
          </button>
        </>
      )}
      {error !== undefined && <ErrorMessage error={error} />}
    </span>
  )
}

interface ExportOptions {
  signal: AbortSignal
  onRead: (count: number) => void
}

async function readParts(
  filter: ListAuditRecordsParams,
  format: Format,
  { signal, onRead }: ExportOptions,
): Promise<string[]> {
  const parts = format === 'csv' ? [`${CSV_HEADER}\r\n`] : []
  let count = 0
  for (let cursor: number | null | undefined; cursor !== null;) {
    const page = await callMethod(
      'list_audit_records',
      {
        ...filter,
        order: 'oldest',
        lines: format === 'jsonl',
        limit: PAGE_SIZE,
        ...(cursor !== undefined && { cursor }),
      },
      { signal },
    )
    const rows = page.records as unknown as readonly AuditRow[]
    const lines = page.lines ?? rows.map((row) => formatCsvLine(row))
    const end = format === 'csv' ? '\r\n' : '\n'
    parts.push(lines.map((line) => line + end).join(''))
    count += lines.length
    onRead(count)
    cursor = page.next_cursor
  }
  return parts
}
