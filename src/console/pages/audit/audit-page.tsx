import { useMemo, useEffect, useRef, useState } from 'preact/hooks'
import { changeSearch } from '../../app/location.ts'
import type { PageProps } from '../../app/page-props.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Loading } from '../../components/loading.tsx'
import { Time } from '../../components/time.tsx'
import { WindowedList } from '../../components/windowed-list.tsx'
import type { ListedRow } from '../../models/audit-rows.ts'
import { formatCount } from '../../models/quantities.ts'
import { AuditExport } from './audit-export.tsx'
import { FILTERS, readAuditFilter } from './audit-filter.ts'
import { AuditListRow, OlderRow, ROW_HEIGHT } from './audit-list-row.tsx'
import { ChainState } from './chain-state.tsx'
import { FilterForm } from './filter-form.tsx'
import { RecordView } from './record-view.tsx'
import type { ListAuditRecordsParams } from '../../../core/methods/list-audit-records/definition.ts'
import { runChanges } from '../../app/live-events.ts'
import { token } from '../../app/session-token.ts'
import { AuditReader, NO_ROWS } from './audit-reader.ts'

/** The audit log: the state of its chain, its records by filters of the address, and its export. */
export function Page({ search }: PageProps) {
  const key = FILTERS.map((name) => search.get(name) ?? '').join('\n')
  // Relative times stay those of the moment at which the filter was chosen.
  const { params, problems } = useMemo(() => readAuditFilter(search, Date.now()), [key])
  const { rows, next, readUntil, error, readOlder } = useAuditRows(params)
  const chosen = Number(search.get('seq') ?? Number.NaN)
  const isFiltered = Object.keys(params).length > 0
  const data = next === undefined ? undefined : rows
  return (
    <section>
      <h1>Audit log</h1>
      <Loading state={{ data, error }} label="the audit log">
        {() => (
          <>
            <ChainState newest={isFiltered ? undefined : rows[0]?.row.seq} />
            <FilterForm search={search} problems={problems} />
            <p class="list-facts">
              <span role="status">
                {formatCount(rows.length)} {rows.length === 1 ? 'record' : 'records'}
                {next !== null && ' so far'}
              </span>{' '}
              <AuditExport filter={params} />
            </p>
            {rows.length === 0 && next === null ? (
              <NoRecords isFiltered={isFiltered} />
            ) : (
              <div class="two-columns">
                <RecordList {...{ rows, next, chosen, readOlder }} />
                <RecordView rows={rows} position={chosen} />
              </div>
            )}
            {readUntil !== undefined && (
              <p class="muted">
                Searched back to <Time at={readUntil} />.{' '}
                <button type="button" onClick={readOlder}>
                  Search on
                </button>
              </p>
            )}
          </>
        )}
      </Loading>
    </section>
  )
}

function NoRecords({ isFiltered }: { isFiltered: boolean }) {
  if (!isFiltered) {
    return (
      <EmptyState
        title="The log is empty: every run and every denial writes a record."
        command="skills exec <skill>"
      />
    )
  }
  const clear = Object.fromEntries(FILTERS.map((name) => [name, '']))
  return (
    <EmptyState title="No record matches these filters.">
      <button type="button" onClick={() => changeSearch(clear)}>
        Remove the filters
      </button>
    </EmptyState>
  )
}

interface RecordListProps {
  rows: readonly ListedRow[]
  next: number | null | undefined
  /** Position of the record that is shown. */
  chosen: number
  readOlder: () => void
}

function RecordList({ rows, next, chosen, readOlder }: RecordListProps) {
  const at = rows.findIndex(({ position }) => position === chosen)
  const choose = (step: number) => {
    const listed = rows[Math.max(0, Math.min(rows.length - 1, at + step))]
    if (listed) changeSearch({ seq: String(listed.position) })
  }
  useShortcuts([
    { keys: 'j', label: 'Next record', run: () => choose(1) },
    { keys: 'k', label: 'Previous record', run: () => choose(-1) },
    { keys: 'Escape', label: 'Close the record', run: () => changeSearch({ seq: undefined }) },
  ])
  const hasOlder = typeof next === 'number'
  return (
    <WindowedList
      count={rows.length + (hasOlder ? 1 : 0)}
      rowHeight={ROW_HEIGHT}
      label="Records"
      current={at === -1 ? undefined : at}
      renderRow={(index) => {
        const listed = rows[index]
        return listed ? (
          <AuditListRow key={listed.position} listed={listed} isCurrent={index === at} />
        ) : (
          <OlderRow key="older" onShown={readOlder} cursor={next ?? 0} />
        )
      }}
    />
  )
}

const RETRY_MS = 3000

/** Rows of the log, newest first. Older pages are read when they are asked for, newer rows appear. */
function useAuditRows(filter: ListAuditRecordsParams) {
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
