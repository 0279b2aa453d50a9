import { activeRuns } from '../../app/live-events.ts'
import { Link } from '../../app/link.tsx'
import { BarTable } from '../../components/bar-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Loading } from '../../components/loading.tsx'
import { Status } from '../../components/status.tsx'
import { TableHead } from '../../components/table-head.tsx'
import { Time } from '../../components/time.tsx'
import { averageByLabel, readMetric, sumByLabel } from '../../models/metrics.ts'
import { formatBytes, formatCount, formatDuration } from '../../models/quantities.ts'
import { FleetNodes } from './fleet-nodes.tsx'
import { useMetrics, type MetricReading } from './use-metrics.ts'

/** Queue, places and metrics, read every two seconds. */
export function LoadTab() {
  const state = useMetrics()
  return (
    <Loading state={state} label="the metrics">
      {(readings) => (
        <>
          <Gauges readings={readings} />
          <FleetNodes />
          <ActiveRuns />
          <Totals reading={readings.at(-1)} />
        </>
      )}
    </Loading>
  )
}

interface GaugeDefinition {
  title: string
  name: string
  /** Metric with the limit of the value. */
  limit?: string
  format: (value: number) => string
}

const GAUGES: readonly GaugeDefinition[] = [
  {
    title: 'Places for runs in use',
    name: 'skills_sandboxes',
    limit: 'skills_sandboxes_limit',
    format: formatCount,
  },
  {
    title: 'Waiting runs',
    name: 'skills_runs_waiting',
    limit: 'skills_runs_waiting_limit',
    format: formatCount,
  },
  {
    title: 'Memory of the server',
    name: 'process_resident_memory_bytes',
    format: formatBytes,
  },
  { title: 'Blobs', name: 'skills_blobs', format: formatCount },
  { title: 'Size of all blobs', name: 'skills_blobs_bytes', format: formatBytes },
  { title: 'Skills', name: 'skills_skills', format: formatCount },
]

function Gauges({ readings }: { readings: readonly MetricReading[] }) {
  const samples = readings.at(-1)?.samples ?? []
  const startedAt = readMetric(samples, 'process_start_time_seconds')
  const refused = readMetric(samples, 'skills_reload_refused') ?? 0
  return (
    <>
      <dl class="gauges">
        {GAUGES.map(({ title, name, limit, format }) => {
          const value = readMetric(samples, name)
          const most = limit === undefined ? undefined : readMetric(samples, limit)
          const values = readings.map((each) => readMetric(each.samples, name) ?? 0)
          return (
            <div key={name}>
              <dt>{title}</dt>
              <dd>
                {value === undefined ? 'unknown' : format(value)}
                {most !== undefined && <span class="muted"> of {format(most)}</span>}
                <Sparkline values={values} most={most} />
              </dd>
            </div>
          )
        })}
        <div>
          <dt>Started</dt>
          <dd>
            {startedAt === undefined ? (
              'unknown'
            ) : (
              <Time at={new Date(startedAt * 1000).toISOString()} />
            )}
          </dd>
        </div>
      </dl>
      {refused > 0 && (
        <p>
          <Status value="warning" text={`${refused} changed parts are not valid`} />: their earlier
          state is in use. The log of the server says why.
        </p>
      )}
    </>
  )
}

function ActiveRuns() {
  const runs = [...activeRuns.value.values()]
  return (
    <>
      <h2>Running and waiting</h2>
      {runs.length === 0 ? (
        <EmptyState title="Nothing runs now." />
      ) : (
        <div class="table-scroll">
          <table>
            <TableHead names={['Run', 'State', 'Since', 'Caller']} />
            <tbody>
              {runs.map(({ run_id: id, state, method, skill, caller, at }) => (
                <tr key={id}>
                  <th scope="row">
                    <Link to={`/runs/${encodeURIComponent(id)}`}>{skill ?? method}</Link>
                  </th>
                  <td>
                    <Status value={state === 'queued' ? 'queued' : 'running'} text={state} />
                  </td>
                  <td>
                    <Time at={at} />
                  </td>
                  <td>{caller}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  )
}

const MAX_BARS = 12

/** Counters since the start of the server. */
function Totals({ reading }: { reading: MetricReading | undefined }) {
  const samples = reading?.samples ?? []
  const tables = [
    ['Runs by status', sumByLabel(samples, 'skills_runs_total', 'status')],
    ['Runs by skill', sumByLabel(samples, 'skills_runs_total', 'skill')],
    ['Runs by path', sumByLabel(samples, 'skills_runs_by_path_total', 'path')],
    ['Reasons why runs were not warm', sumByLabel(samples, 'skills_runs_fallback_total', 'reason')],
    ['Calls by method', sumByLabel(samples, 'skills_rpc_calls_total', 'method')],
  ] as const
  const times = averageByLabel(samples, 'skills_run_stage_seconds', 'stage')
  const shown = tables.filter(([, totals]) => totals.length > 0)
  return (
    <>
      <h2>Since the start</h2>
      <div class="two-columns">
        {shown.map(([title, totals]) => (
          <BarTable
            key={title}
            label={totals.length > MAX_BARS ? `${title}: ${MAX_BARS} of ${totals.length}` : title}
            unit=""
            rows={totals.slice(0, MAX_BARS).map(({ label, value }) => ({
              name: label === '' ? 'without a skill' : label,
              value,
              text: formatCount(value),
            }))}
          />
        ))}
        {times.length > 0 && (
          <BarTable
            label="Mean duration of the phases of a run"
            unit=""
            rows={times.map(({ label, value }) => ({
              name: label,
              value: value * 1000,
              text: formatDuration(value * 1000),
            }))}
          />
        )}
      </div>
    </>
  )
}

interface SparklineProps {
  values: readonly number[]
  /** Value of the upper edge; by default the largest value. */
  most?: number | undefined
}

const WIDTH = 100
const HEIGHT = 20

/** A line of recent values. The values are text beside it, so the line is decoration. */
function Sparkline({ values, most = Math.max(1, ...values) }: SparklineProps) {
  const step = WIDTH / Math.max(1, values.length - 1)
  const limit = Math.max(most, Number.MIN_VALUE)
  const points = values.map(
    (value, at) => `${at * step},${HEIGHT - (HEIGHT * Math.min(value, limit)) / limit}`,
  )
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polyline points={points.join(' ')} />
    </svg>
  )
}
