import { useEffect, useRef, useState } from 'preact/hooks'
import type { ListAuditRecordsParams } from '../../../core/methods/list-audit-records/definition.ts'
import { runChanges } from '../../app/live-events.ts'
import { token } from '../../app/session-token.ts'
import { AuditReader, NO_ROWS } from './audit-reader.ts'

const RETRY_MS = 3000

/** Rows of the log, newest first. Older pages are read when they are asked for, newer rows appear. */
export function useAuditRows(filter: ListAuditRecordsParams) {
  // Rows of an earlier filter stay in view until those of the new one are here.
  const [found, setFound] = useState(NO_ROWS)
  const [error, setError] = useState<unknown>()
  const reader = useRef<AuditReader>(null)
  useEffect(() => {
    const created = new AuditReader(filter, {
      onRows: (rows) => (setFound(rows), setError(undefined)),
      onError: setError,
    })
    reader.current = created
    created.readFirst()
    return () => created.stop()
  }, [JSON.stringify(filter), token.value])
  useEffect(() => {
    if ((error as Error | undefined)?.name !== 'ConnectionError') return undefined
    const timer = setTimeout(() => reader.current?.readFirst(), RETRY_MS)
    return () => clearTimeout(timer)
  }, [error])
  const version = runChanges.value
  const seen = useRef(version)
  useEffect(() => {
    if (seen.current === version) return
    seen.current = version
    reader.current?.readNewer()
  }, [version])
  return { ...found, error, readOlder: () => reader.current?.readOlder() }
}
