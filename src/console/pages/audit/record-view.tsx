import { toPrintable } from '../../../util/printable.ts'
import { Link } from '../../app/link.tsx'
import { changeSearch } from '../../app/location.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { JsonView } from '../../components/json-view.tsx'
import { Loading } from '../../components/loading.tsx'
import { Status } from '../../components/status.tsx'
import { useMethod } from '../../app/use-method.ts'
import {
  describeOutcome,
  describeTarget,
  describeTone,
  isCallRow,
  listRows,
  type AuditRow,
  type ListedRow,
} from '../../models/audit-rows.ts'
import { formatPolicyPath } from '../../models/policy-request.ts'
import { formatExactTime } from '../../models/times.ts'

/** One record. A link can name a record that is not among the rows. */
export function RecordView({ rows, position }: { rows: readonly ListedRow[]; position: number }) {
  const known = rows.find((listed) => listed.position === position)
  const isLinked = Number.isSafeInteger(position) && position > 0 && !known
  const query = { order: 'oldest' as const, limit: 1, cursor: position - 1 }
  const state = useMethod('list_audit_records', isLinked ? query : undefined)
  if (known) return <RecordFacts row={known.row} />
  if (!isLinked) {
    return (
      <div class="record">
        <EmptyState title="Choose a record to see its decision, its reasons and its digests." />
      </div>
    )
  }
  return (
    <Loading state={state} label="the record">
      {(page) => {
        const [found] = listRows(page)
        return found?.position === position ? (
          <RecordFacts row={found.row} />
        ) : (
          <EmptyState title={`The log has no record ${position}, or it has expired.`} />
        )
      }}
    </Loading>
  )
}

function RecordFacts({ row }: { row: AuditRow }) {
  const reasons = isCallRow(row) ? row.decision.reasons : [row.problem]
  return (
    <div class="record">
      <h2>
        Record {row.seq} <Status value={describeTone(row)} text={describeOutcome(row)} />
      </h2>
      <p>
        {describeTarget(row)}, {formatExactTime(row.time)}
      </p>
      {reasons.length > 0 && (
        <ul>
          {reasons.map((reason) => (
            <li key={reason}>{toPrintable(reason)}</li>
          ))}
        </ul>
      )}
      <p>
        {isCallRow(row) && (
          <>
            <Link to={formatPolicyPath(row)}>Try the request</Link> ·{' '}
            <Link to={`/audit?run=${encodeURIComponent(row.run_id)}`}>Records of the run</Link> ·{' '}
            <Link to={`/runs/${encodeURIComponent(row.run_id)}`}>The run</Link>{' '}
          </>
        )}
        <CopyButton label="Copy JSON" text={() => JSON.stringify(row, null, 2)} />
        <button type="button" class="quiet" onClick={() => changeSearch({ seq: undefined })}>
          Close
        </button>
      </p>
      <JsonView value={row} depth={2} />
    </div>
  )
}
