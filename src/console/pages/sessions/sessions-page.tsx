import { useEffect, useState } from 'preact/hooks'
import type { ListSessionsResult } from '../../../core/methods/list-sessions/definition.ts'
import { callMethod } from '../../app/api.ts'
import { Link } from '../../app/link.tsx'
import { openPath } from '../../app/location.ts'
import { useMarkedRow } from '../../app/use-marked-row.ts'
import { useMethod } from '../../app/use-method.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Loading } from '../../components/loading.tsx'
import { Status } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { WindowedList } from '../../components/windowed-list.tsx'

type ListedSession = ListSessionsResult['sessions'][number]

const PAGE_SIZE = 500
/** Pixels, as in the style sheet. */
const ROW_HEIGHT = 64

/** Sessions in which agents loaded skills. */
export function Page() {
  const state = useMethod('list_sessions', { limit: PAGE_SIZE })
  return (
    <section>
      <h1>Sessions of agents</h1>
      <Loading state={state} label="sessions">
        {(page) =>
          page.sessions.length === 0 && page.next_cursor === null ? (
            <EmptyState
              title="No agent has loaded a skill yet."
              command="skills agent load <skill> --session test"
            />
          ) : (
            <SessionList first={page} reload={state.reload} />
          )
        }
      </Loading>
    </section>
  )
}

function SessionList({ first, reload }: { first: ListSessionsResult; reload: () => void }) {
  const [older, setOlder] = useState<ListSessionsResult>({ sessions: [], next_cursor: null })
  const [error, setError] = useState<unknown>()
  useEffect(() => setOlder({ sessions: [], next_cursor: first.next_cursor }), [first])
  const rows = [...first.sessions, ...older.sessions]
  const readOlder = async (cursor: string) => {
    try {
      const page = await callMethod('list_sessions', { limit: PAGE_SIZE, cursor })
      setOlder((before) => ({ ...page, sessions: [...before.sessions, ...page.sessions] }))
      setError(undefined)
    } catch (thrown) {
      setError(thrown)
    }
  }
  const open = (at: number) => {
    const row = rows[at]
    if (row) openPath(`/sessions/${row.id}`)
  }
  const keys = [{ keys: 'r', label: 'Read the sessions again', run: reload }]
  const current = useMarkedRow({ count: rows.length, noun: 'session', open, keys })
  const { next_cursor: next } = older
  return (
    <>
      <p class="list-facts">
        <span role="status">
          {rows.length} {rows.length === 1 ? 'session' : 'sessions'}
          {next !== null && ' so far'}
        </span>{' '}
        <button type="button" onClick={reload}>
          Read again
        </button>
      </p>
      <WindowedList
        count={rows.length}
        rowHeight={ROW_HEIGHT}
        label="Sessions"
        current={current}
        renderRow={(at) => {
          const row = rows[at]
          return row && <SessionRowView key={row.id} row={row} isCurrent={at === current} />
        }}
      />
      {error !== undefined && <ErrorMessage error={error} />}
      {next !== null && (
        <button type="button" onClick={() => void readOlder(next)}>
          Read older sessions
        </button>
      )}
    </>
  )
}

function SessionRowView({ row, isCurrent }: { row: ListedSession; isCurrent: boolean }) {
  const { id, session, caller, entry_point: door, changed_at: at, loaded, agents, files } = row
  const facts = [
    caller ?? 'local user',
    ...(door === null ? [] : [door]),
    ...(agents > 1 ? [`${agents} agents`] : []),
    ...(files > 0 ? [`${files} files`] : []),
  ]
  return (
    <div role="listitem" class={`list-row${isCurrent ? ' current' : ''}`}>
      <Link to={`/sessions/${id}`}>
        <strong>{session ?? id.slice(0, 12)}</strong>
      </Link>{' '}
      <span class="muted">
        {facts.join(' · ')} · <Time at={at} />
      </span>
      <div class="one-line">
        {row.problem !== null && <Status value="failed" text={row.problem} />}
        {row.problem === null && (loaded.join(', ') || 'nothing is loaded now')}
      </div>
    </div>
  )
}
