import type { RunRow } from '../../../core/methods/list-run-history/definition.ts'
import { toPrintableLines } from '../../../util/printable.ts'
import { Link } from '../../app/link.tsx'
import { Status } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { formatMs } from '../../models/durations.ts'

/** Pixels, as in the style sheet. */
export const ROW_HEIGHT = 64

interface RunListRowProps {
  row: RunRow
  isCurrent: boolean
  isChosen?: boolean
  /** Its duration as a share of the longest one. */
  share: number
  /** Absent where rows are not compared. */
  onChoose?: (id: string) => void
}

/** One run: state, skill, arguments, duration. */
export function RunListRow({ row, isCurrent, isChosen = false, share, onChoose }: RunListRowProps) {
  const { run_id, status, target, args, args_cut, summary, error_type, duration_ms } = row
  return (
    <div role="listitem" class={`run-row${isCurrent ? ' current' : ''}`}>
      <div class="run-row-line">
        {onChoose && (
          <input
            type="checkbox"
            checked={isChosen}
            aria-label={`Choose ${run_id} for a comparison`}
            onChange={() => onChoose(run_id)}
          />
        )}
        <Status value={status} />
        <Link to={`/runs/${run_id}`}>
          <strong>{toPrintableLines(target)}</strong>
        </Link>
        <span class="muted one-line">
          <Time at={row.started_at} />, {row.entry_point}, {row.caller}
        </span>
        <span class="run-row-duration">
          {duration_ms === null ? '' : formatMs(duration_ms)}
          <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
            <rect width={100 * share} height="4" />
          </svg>
        </span>
      </div>
      <div class="one-line">
        <code>{toPrintableLines(args)}</code>
        {args_cut !== null && ` … ${args_cut}`}{' '}
        {error_type === null ? summary !== null && toPrintableLines(summary) : error_type}
      </div>
    </div>
  )
}
