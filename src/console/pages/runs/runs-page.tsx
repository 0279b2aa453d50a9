import { useMemo, useState } from 'preact/hooks'
import type {
  ListRunHistoryResult,
  RunRow,
} from '../../../core/methods/list-run-history/definition.ts'
import { callMethod } from '../../app/api.ts'
import { runChanges } from '../../app/live-events.ts'
import { openPath } from '../../app/location.ts'
import type { PageProps } from '../../app/page-props.ts'
import { useMarkedRow } from '../../app/use-marked-row.ts'
import { useMethod } from '../../app/use-method.ts'
import { useRunRefresh } from '../../app/runs/use-run-refresh.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Loading } from '../../components/loading.tsx'
import { WindowedList } from '../../components/windowed-list.tsx'
import { readFilter } from '../../models/run-filter.ts'
import { RunFilters } from './run-filters.tsx'
import { RunHistogram } from './run-histogram.tsx'
import { ROW_HEIGHT, RunListRow } from './run-list-row.tsx'

const PAGE_ROWS = 500

/** Runs from every entry point, newest first. The address has the filters. */
export function Page({ search }: PageProps) {
  // Read once for each address: a filter by age has the current time.
  const filter = useMemo(() => readFilter(search), [search.toString()])
  const state = useMethod(
    'list_run_history',
    { ...filter, limit: PAGE_ROWS },
    { changes: runChanges, keepsOld: true },
  )
  useRunRefresh(state.data?.runs.some(({ live }) => live) ?? false, state.reload)
  return (
    <section>
      <h1>Runs</h1>
      <RunFilters search={search} />
      <Loading state={state} label="runs">
        {({ runs, next_cursor, read_until }) => (
          <RunList
            key={JSON.stringify(filter)}
            first={runs}
            cursor={next_cursor}
            readUntil={read_until}
            filter={filter}
            isFiltered={Object.keys(filter).length > 0}
          />
        )}
      </Loading>
    </section>
  )
}

interface RunListProps {
  first: readonly RunRow[]
  cursor: string | null
  readUntil: string | undefined
  filter: ReturnType<typeof readFilter>
  isFiltered: boolean
}

function RunList({ first, cursor, readUntil, filter, isFiltered }: RunListProps) {
  const more = useMore(filter, cursor, readUntil)
  const rows = [...first, ...more.rows]
  const { current, chosen, choose } = useChosenRows(rows)
  const compare = () => {
    const [after, before] = rows.filter(({ run_id }) => chosen.includes(run_id))
    if (before && after) openPath(`/compare?before=${before.run_id}&after=${after.run_id}`)
  }
  if (rows.length === 0) return <NoRuns isFiltered={isFiltered} />
  const longest = Math.max(1, ...rows.map(({ duration_ms }) => duration_ms ?? 0))
  return (
    <>
      <RunHistogram runs={rows} />
      <p class="actions">
        <button type="button" onClick={compare} disabled={chosen.length !== 2}>
          Compare two chosen runs
        </button>{' '}
        <span class="muted" role="status">
          {rows.length} runs{more.cursor === null ? '' : ', older ones are not loaded'}
          {chosen.length > 0 && `, ${chosen.length} chosen`}
        </span>
      </p>
      <WindowedList
        count={rows.length}
        rowHeight={ROW_HEIGHT}
        label="Runs"
        current={current}
        renderRow={(at) => (
          <RunListRow
            key={rows[at]?.run_id}
            row={rows[at] as RunRow}
            isCurrent={at === current}
            isChosen={chosen.includes(rows[at]?.run_id ?? '')}
            share={(rows[at]?.duration_ms ?? 0) / longest}
            onChoose={choose}
          />
        )}
      />
      {more.readUntil !== undefined && (
        <p class="muted">Runs until {more.readUntil} were searched.</p>
      )}
      {more.cursor !== null && (
        <button type="button" onClick={more.load} disabled={more.isLoading}>
          {more.isLoading ? 'Loading' : 'Load older runs'}
        </button>
      )}
      {more.error !== undefined && <ErrorMessage error={more.error} />}
    </>
  )
}

function NoRuns({ isFiltered }: { isFiltered: boolean }) {
  if (!isFiltered) {
    const command = `skills exec demo.greet --url ${location.origin}`
    return <EmptyState title="No run was recorded yet." command={command} />
  }
  return (
    <EmptyState title="No run matches.">
      <button type="button" onClick={() => openPath('/runs')}>
        Show all runs
      </button>
    </EmptyState>
  )
}

/** Marks a row by keys, and chooses up to two rows. */
function useChosenRows(rows: readonly RunRow[]) {
  const [chosen, setChosen] = useState<readonly string[]>([])
  const choose = (id: string) =>
    setChosen((before) =>
      before.includes(id) ? before.filter((each) => each !== id) : [...before, id].slice(-2),
    )
  const withRow = (at: number, act: (id: string) => void) => {
    const row = rows[at]
    if (row) act(row.run_id)
  }
  const current: number = useMarkedRow({
    count: rows.length,
    noun: 'run',
    open: (at) => withRow(at, (id) => openPath(`/runs/${id}`)),
    keys: [
      {
        keys: 'x',
        label: 'Choose the marked run for a comparison',
        run: () => withRow(current, choose),
      },
    ],
  })
  return { current, chosen, choose }
}

/** Further pages of the history, which stay while the first one is read again. */
// eslint-disable-next-line max-params -- the filter and the end of the first page
function useMore(
  filter: ReturnType<typeof readFilter>,
  cursor: string | null,
  readUntil: string | undefined,
) {
  const [rows, setRows] = useState<readonly RunRow[]>([])
  const [next, setNext] = useState<{ cursor: string | null; readUntil: string | undefined }>()
  const [isLoading, setLoading] = useState(false)
  const [error, setError] = useState<unknown>()
  const end = next ?? { cursor, readUntil }
  const add = ({ runs, next_cursor, read_until }: ListRunHistoryResult) => {
    setRows((before) => [...before, ...runs])
    return setNext({ cursor: next_cursor, readUntil: read_until })
  }
  const load = () => {
    if (end.cursor === null) return
    setLoading(true)
    setError(undefined)
    callMethod('list_run_history', { ...filter, limit: PAGE_ROWS, cursor: end.cursor })
      .then(add, setError)
      .finally(() => setLoading(false))
  }
  return { rows, ...end, isLoading, error, load }
}
