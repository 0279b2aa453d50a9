import { useEffect, useState } from 'preact/hooks'
import type { FoundSkillRow } from '../../../core/methods/search-skills/definition.ts'
import { changeSearch, openPath } from '../../app/location.ts'
import { runChanges, scopes, skillChanges } from '../../app/live-events.ts'
import type { PageProps } from '../../app/page-props.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { useMarkedRow } from '../../app/use-marked-row.ts'
import { useMethod } from '../../app/use-method.ts'
import { useRunRefresh } from '../../app/runs/use-run-refresh.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Loading } from '../../components/loading.tsx'
import { Status } from '../../components/status.tsx'
import { WindowedList } from '../../components/windowed-list.tsx'
import { groupLastRuns } from '../../models/last-runs.ts'
import { formatSkillPath, SkillRow } from './skill-row.tsx'

const MAX_ROWS = 1000
/** Runs of which each row shows its last ones. */
const MAX_RUNS = 200
const ROW_HEIGHT = 64
const DEBOUNCE_MS = 120

/** All skills, and a search over names, tags, descriptions, inputs and documents. */
export function Page({ search }: PageProps) {
  const query = search.get('q') ?? ''
  const kind = search.get('kind') ?? ''
  const state = useMethod(
    'search_skills',
    { query, limit: MAX_ROWS },
    { changes: skillChanges, keepsOld: true },
  )
  return (
    <section>
      <h1>Skills</h1>
      <SkillFilter query={query} kind={kind} />
      <Loading state={state} label="skills">
        {({ skills, total, problems }) => (
          <>
            <SkillTable
              rows={skills.filter((skill) => kind === '' || skill.kind === kind)}
              query={query}
            />
            {total > skills.length && (
              <p class="muted">
                The first {skills.length} of {total} skills are shown; type more words to find others.
              </p>
            )}
            <BrokenSkills problems={problems} />
          </>
        )}
      </Loading>
    </section>
  )
}

function SkillFilter({ query, kind }: { query: string; kind: string }) {
  const [text, setText] = useState(query)
  useEffect(() => {
    const timer = setTimeout(() => text !== query && changeSearch({ q: text }), DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [text])
  const focus = () => document.querySelector<HTMLElement>('#skill-search')?.focus()
  useShortcuts([{ keys: '/', label: 'Search skills', run: focus }])
  // Enter searches without the delay, and opens the marked skill of a list that is up to date.
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (text !== query) changeSearch({ q: text })
    else document.querySelector<HTMLElement>('.skill-row.current a')?.click()
  }
  return (
    <form class="filters" role="search" onSubmit={submit}>
      <label for="skill-search">Search</label>
      <input
        id="skill-search"
        type="search"
        value={text}
        placeholder="Words of names, tags, inputs, documents"
        aria-keyshortcuts="/"
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <label for="skill-kind">Kind</label>
      <select
        id="skill-kind"
        value={kind}
        onChange={(event) => changeSearch({ kind: event.currentTarget.value })}
      >
        <option value="">all</option>
        <option value="action">with code</option>
        <option value="instruction">instructions only</option>
      </select>
    </form>
  )
}

function SkillTable({ rows, query }: { rows: readonly FoundSkillRow[]; query: string }) {
  const lastRuns = useLastRuns()
  const open = (at: number) => {
    const row = rows[at]
    if (row) openPath(formatSkillPath(row))
  }
  const current = useMarkedRow({ count: rows.length, noun: 'skill', open })
  if (rows.length === 0) {
    return query === '' ? (
      <EmptyState title="There are no skills here." command="skills new demo.greet" />
    ) : (
      <EmptyState title={`No skill has all words of "${query}".`} />
    )
  }
  return (
    <WindowedList
      count={rows.length}
      rowHeight={ROW_HEIGHT}
      label="Skills"
      current={current}
      renderRow={(at) => {
        const row = rows[at] as FoundSkillRow
        const reference = `${row.name}@${row.version}`
        return (
          <SkillRow
            key={reference}
            row={row}
            isCurrent={at === current}
            lastRuns={lastRuns.get(reference) ?? []}
          />
        )
      }}
    />
  )
}

/** The last runs of all skills that this caller may see; none without the scope `run`. */
function useLastRuns(): ReturnType<typeof groupLastRuns> {
  const mayAsk = scopes.value.has('run')
  const params = { kind: 'execute_skill', limit: MAX_RUNS } as const
  const { data, reload } = useMethod('list_run_history', mayAsk ? params : undefined, {
    changes: runChanges,
  })
  const runs = data?.runs ?? []
  useRunRefresh(
    runs.some(({ live }) => live),
    reload,
  )
  return groupLastRuns(runs)
}

function BrokenSkills({ problems }: { problems: readonly { skill: string; message: string }[] }) {
  if (problems.length === 0) return null
  return (
    <details class="broken">
      <summary>
        <Status value="warning" text={`${problems.length} folders are not used`} />
      </summary>
      <ul>
        {problems.map(({ skill, message }) => (
          <li key={`${skill} ${message}`}>
            <code>{skill}</code>: {message}
          </li>
        ))}
      </ul>
    </details>
  )
}
