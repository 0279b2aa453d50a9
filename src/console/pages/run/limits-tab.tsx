import { TableHead } from '../../components/table-head.tsx'
import { formatBytes } from '../../../util/quantity.ts'
import { formatMs } from '../../models/durations.ts'
import type { RunTab, RunTabProps } from './run-tab.ts'

type LimitName = keyof NonNullable<RunTabProps['record']['limits']>

/** Limits in the order of the table, with the setting that changes each. */
const ROWS: readonly { name: LimitName; title: string; setting?: string }[] = [
  { name: 'wall_ms', title: 'Time', setting: 'run.timeout' },
  { name: 'cpu_ms', title: 'Processor time', setting: 'run.limits.cpu_time' },
  { name: 'memory_bytes', title: 'Memory', setting: 'run.limits.memory' },
  { name: 'processes', title: 'Processes', setting: 'run.limits.processes' },
  { name: 'open_files', title: 'Open files' },
  { name: 'workspace_bytes', title: 'Workspace', setting: 'run.limits.workspace' },
  { name: 'inodes', title: 'Files', setting: 'run.limits.workspace' },
  { name: 'output_bytes', title: 'Output', setting: 'run.limits.output' },
  { name: 'network_bytes', title: 'Network', setting: 'run.limits.network_bytes' },
]

/** Limits of a run against what it used. */
export const LimitsTab: RunTab = ({ record }) => {
  const { limits, use, duration_ms, isolation, error } = record
  if (limits === null) return <p class="muted">Nothing was started, so no limit applied.</p>
  const used: Partial<Record<LimitName, number | null>> = { ...use, wall_ms: duration_ms }
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Limits">
      <table class="limits">
        <TableHead names={['Limit', 'Used', 'Of', 'Share', 'Setting']} hidden={['Share']} />
        <tbody>
          {ROWS.filter(({ name }) => limits[name] !== undefined).map(({ name, title, setting }) => (
            <tr key={name}>
              <th scope="row">{title}</th>
              <td>{formatAmount(name, used[name])}</td>
              <td>{formatAmount(name, limits[name])}</td>
              <td class="bar-cell">
                <ShareBar used={used[name] ?? null} limit={limits[name] as number} />
              </td>
              <td>{setting !== undefined && <code>{setting}</code>}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {error?.limit !== undefined && (
        <p class="tone-bad">A limit ended this run: {JSON.stringify(error.limit)}</p>
      )}
      {isolation && (
        <p class="muted">
          Enforced by:{' '}
          {Object.entries(isolation.limits)
            .map(([name, means]) => `${name}: ${means}`)
            .join(', ')}
        </p>
      )}
    </div>
  )
}

function formatAmount(name: LimitName, value: number | null | undefined): string {
  if (value === null || value === undefined) return 'not counted'
  if (name.endsWith('_ms')) return formatMs(value)
  return name.endsWith('_bytes') ? formatBytes(value) : String(value)
}

function ShareBar({ used, limit }: { used: number | null; limit: number }) {
  if (used === null || limit === 0) return null
  const share = Math.min(1, used / limit)
  return (
    <svg
      viewBox="0 0 100 4"
      preserveAspectRatio="none"
      role="img"
      aria-label={`${Math.round(100 * share)} %`}
    >
      <rect class="bar-track" width="100" height="4" />
      <rect class={share >= 0.9 ? 'bar-full' : undefined} width={100 * share} height="4" />
    </svg>
  )
}
