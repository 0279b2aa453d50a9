import { toPrintable } from '../../../util/printable.ts'
import type { RunRow } from '../../../core/methods/list-run-history/definition.ts'
import type { FoundSkillRow } from '../../../core/methods/search-skills/definition.ts'
import { useFindingCounts } from '../../app/finding-counts.ts'
import { Link } from '../../app/link.tsx'
import { Status } from '../../components/status.tsx'

interface SkillRowProps {
  row: FoundSkillRow
  isCurrent: boolean
  /** The newest is the last one. */
  lastRuns: readonly RunRow[]
}

/** A skill of the list, with its findings and last runs. */
export function SkillRow({ row, isCurrent, lastRuns }: SkillRowProps) {
  const { name, version, description, kind, tags, missing, excerpt } = row
  const path = formatSkillPath(row)
  return (
    <div role="listitem" class={`skill-row${isCurrent ? ' current' : ''}`}>
      <div class="skill-row-line">
        <Link to={path}>
          <strong>{name}</strong>
        </Link>
        <span class="muted one-line">
          {version} {kind === 'action' ? '' : 'instructions'}{' '}
          {toPrintable(tags.map((tag) => `#${tag}`).join(' '))}
        </span>
        {missing.length > 0 && (
          <Status value="warning" text={`cannot run here: ${missing.join(', ')}`} />
        )}
        <Findings name={name} version={version} path={path} />
        <LastRuns runs={lastRuns} path={path} />
      </div>
      <div class="one-line">{toPrintable(excerpt ?? description)}</div>
    </div>
  )
}

function Findings({ name, version, path }: { name: string; version: string; path: string }) {
  const counts = useFindingCounts(name, version)
  if (counts === undefined || counts.errors + counts.warnings === 0) return null
  const { errors, warnings } = counts
  const texts = [
    ...(errors > 0 ? [`${errors} ${errors === 1 ? 'error' : 'errors'}`] : []),
    ...(warnings > 0 ? [`${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`] : []),
  ]
  return (
    <Link to={`${path}?tab=findings`}>
      <Status value={errors > 0 ? 'error' : 'warning'} text={texts.join(', ')} />
    </Link>
  )
}

function LastRuns({ runs, path }: { runs: readonly RunRow[]; path: string }) {
  const last = runs.at(-1)
  if (!last) return null
  return (
    <Link to={`${path}?tab=runs`}>
      <span class="visually-hidden">Last runs: </span>
      {runs.slice(0, -1).map(({ run_id, status }) => (
        <Status key={run_id} value={status} text="" />
      ))}
      <Status value={last.status} />
    </Link>
  )
}

export function formatSkillPath({ name, version }: Pick<FoundSkillRow, 'name' | 'version'>): string {
  return `/skills/${encodeURIComponent(`${name}@${version}`)}`
}
