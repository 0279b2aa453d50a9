import { Link } from '../../app/link.tsx'
import type { PageProps } from '../../app/page-props.ts'
import { useRunLogs } from '../../app/runs/use-run-logs.ts'
import { useTitle } from '../../app/use-title.ts'
import { useRunRecord, type LoadedRun } from '../../app/runs/use-run-record.ts'
import { toPrintableLines } from '../../../util/printable.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { JsonView } from '../../components/json-view.tsx'
import { Loading } from '../../components/loading.tsx'
import { LogView } from '../../components/log-view.tsx'
import { Status } from '../../components/status.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { Time } from '../../components/time.tsx'
import { formatMs } from '../../models/durations.ts'
import { BlobsTab } from './blobs-tab.tsx'
import { LimitsTab } from './limits-tab.tsx'
import { NetworkTab } from './network-tab.tsx'
import { PolicyTab } from './policy-tab.tsx'
import { ResultTab } from './result-tab.tsx'
import { RunActions } from './run-actions.tsx'
import type { RunTab } from './run-tab.ts'
import { layOutPhases } from '../../models/waterfall.ts'

const RawTab: RunTab = ({ record }) => <JsonView value={record} depth={1} />

const TABS: readonly { id: string; title: string; Tab: RunTab }[] = [
  { id: 'result', title: 'Result', Tab: ResultTab },
  { id: 'blobs', title: 'Blobs', Tab: BlobsTab },
  { id: 'policy', title: 'Policy and isolation', Tab: PolicyTab },
  { id: 'network', title: 'Network', Tab: NetworkTab },
  { id: 'limits', title: 'Limits', Tab: LimitsTab },
  { id: 'record', title: 'Record', Tab: RawTab },
]
const LOGS = { id: 'logs', title: 'Logs' }

/** One run: its phases, logs, result, and the record of everything that decided about it. */
export function Page({ params, search }: PageProps) {
  const runId = params['run'] ?? ''
  const state = useRunRecord(runId)
  return (
    <Loading state={state} label="the run">
      {(found) => <RunView key={runId} found={found} search={search} />}
    </Loading>
  )
}

function RunView({ found, search }: { found: LoadedRun; search: URLSearchParams }) {
  const { record } = found
  useTitle(record ? `${describeTarget(record)}: ${found.status}` : `Run ${found.run_id}`)
  const logs = useRunLogs(found.run_id)
  const all = [LOGS, ...TABS]
  const chosen = all.find(({ id }) => id === search.get('tab')) ?? LOGS
  if (record === null) {
    return (
      <section>
        <h1>Run {found.run_id}</h1>
        <Status value={found.status} text="waits for its start" />
      </section>
    )
  }
  const chosenTab = TABS.find(({ id }) => id === chosen.id)
  return (
    <section>
      <h1>{describeTarget(record)}</h1>
      <RunFacts found={found} record={record} />
      <RunActions found={found} record={record} log={logs.log} />
      <RunError record={record} />
      {record.phases && <Waterfall phases={record.phases} />}
      <Tabs name="tab" label="Views of the run" tabs={all} chosen={chosen.id}>
        {chosenTab ? (
          <chosenTab.Tab record={record} search={search} />
        ) : (
          <>
            {logs.error !== undefined && <ErrorMessage error={logs.error} />}
            <LogView {...logs} search={search} />
          </>
        )}
      </Tabs>
    </section>
  )
}

interface RecordProps {
  record: NonNullable<LoadedRun['record']>
}

export function describeTarget({ kind, request }: RecordProps['record']): string {
  if (request.skill !== undefined) return request.skill
  if (request.program) return request.program.executable
  return kind === 'run_code' ? 'Code' : kind
}

function RunFacts({ found, record }: { found: LoadedRun } & RecordProps) {
  const { who, started_at, duration_ms, skills } = record
  return (
    <ul class="facts">
      <li>
        <Status value={found.status} />
      </li>
      <li>
        <Time at={started_at} />
      </li>
      {duration_ms !== null && <li>{formatMs(duration_ms)}</li>}
      <li>
        by {who.caller}, {who.door}
      </li>
      <li>
        <code>{found.run_id}</code>
      </li>
      {skills.map(({ name, version }) => (
        <li key={`${name}@${version}`}>
          <Link to={`/skills/${encodeURIComponent(`${name}@${version}`)}`}>
            {name} {version}
          </Link>
        </li>
      ))}
    </ul>
  )
}

function RunError({ record: { error } }: RecordProps) {
  if (!error) return null
  return (
    <div class="error" role="alert">
      <p>
        {error.type}: {toPrintableLines(error.message)}
      </p>
      {error.hint !== undefined && <p class="hint">{toPrintableLines(error.hint)}</p>}
      {error.traceback !== undefined && (
        <details>
          <summary>Traceback</summary>
          <pre class="run-logs" tabIndex={0}>
            {toPrintableLines(error.traceback)}
          </pre>
        </details>
      )}
    </div>
  )
}

/** Phases of a run, one after the other. The numbers are text, so the bars are decoration. */
function Waterfall({ phases }: { phases: readonly { name: string; ms: number }[] }) {
  const { bars, totalMs } = layOutPhases(phases)
  if (bars.length === 0) return <p class="muted">The record of this run has no phases.</p>
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Phases of the run">
      <table class="waterfall">
        <caption>Phases, {formatMs(totalMs)} in all</caption>
        <tbody>
          {bars.map(({ name, label, ms, start, width }) => (
            <tr key={name}>
              <th scope="row" title={label}>
                {name}
              </th>
              <td class="number">{formatMs(ms)}</td>
              <td class="waterfall-label">{label}</td>
              <td aria-hidden="true" class="waterfall-bar">
                <svg viewBox="0 0 1000 10" preserveAspectRatio="none">
                  <rect x={1000 * start} width={Math.max(2, 1000 * width)} height="10" />
                </svg>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
