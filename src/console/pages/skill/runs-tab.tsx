import { Link } from '../../app/link.tsx'
import { useMethod } from '../../app/use-method.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Loading } from '../../components/loading.tsx'
import { RunListRow } from '../runs/run-list-row.tsx'
import { nameSkill, type SkillTab } from './skill-tab.ts'

const SHOWN = 50

/** The last runs of this version. */
export const RunsTab: SkillTab = ({ skill }) => {
  const { name, version } = nameSkill(skill)
  const reference = `${name}@${version}`
  const state = useMethod('list_run_history', { skill: reference, limit: SHOWN })
  return (
    <Loading state={state} label="runs">
      {({ runs, next_cursor }) => {
        if (runs.length === 0) {
          return (
            <EmptyState
              title="This version was not run yet."
              command={`skills exec ${reference} --url ${location.origin}`}
            />
          )
        }
        const longest = Math.max(1, ...runs.map(({ duration_ms }) => duration_ms ?? 0))
        return (
          <>
            <div role="list" aria-label="Runs">
              {runs.map((row) => (
                <RunListRow
                  key={row.run_id}
                  row={row}
                  isCurrent={false}
                  share={(row.duration_ms ?? 0) / longest}
                />
              ))}
            </div>
            <p>
              {next_cursor !== null && `The last ${SHOWN} runs are shown. `}
              <Link to={`/runs?skill=${encodeURIComponent(reference)}`}>Filter and compare</Link>
            </p>
          </>
        )
      }}
    </Loading>
  )
}
