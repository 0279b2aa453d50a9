import { useEffect } from 'preact/hooks'
import { changeSearch } from '../../app/location.ts'
import { Status } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import {
  describeOutcome,
  describeTarget,
  describeTone,
  isCallRow,
  type ListedRow,
} from '../../models/audit-rows.ts'

/** Pixels, as in the style sheet. */
export const ROW_HEIGHT = 56

export function AuditListRow({ listed, isCurrent }: { listed: ListedRow; isCurrent: boolean }) {
  const { row, position } = listed
  return (
    <div role="listitem" class={`audit-row${isCurrent ? ' current' : ''}`}>
      <button
        type="button"
        class="row-button"
        aria-current={isCurrent}
        onClick={() => changeSearch({ seq: String(position) })}
      >
        <span class="one-line">
          <span class="mono muted">{row.seq}</span>{' '}
          <Status value={describeTone(row)} text={describeOutcome(row)} />{' '}
          <span>{describeTarget(row)}</span>
        </span>
        <span class="one-line muted">
          <Time at={row.time} />
          {isCallRow(row) && ` · ${row.who.caller} (${row.who.door})`}
        </span>
      </button>
    </div>
  )
}

/** Takes the place of older rows, which are read once it comes into view. */
export function OlderRow({ cursor, onShown }: { cursor: number; onShown: () => void }) {
  useEffect(onShown, [cursor])
  return (
    <div role="listitem" class="audit-row">
      <button type="button" class="quiet" onClick={onShown}>
        Read older records
      </button>
    </div>
  )
}
