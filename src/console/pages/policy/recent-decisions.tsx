import type { ReadonlySignal } from '@preact/signals'
import { Link } from '../../app/link.tsx'
import { useMethod } from '../../app/use-method.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Loading } from '../../components/loading.tsx'
import { Status } from '../../components/status.tsx'
import { TableHead } from '../../components/table-head.tsx'
import { Time } from '../../components/time.tsx'
import {
  describeOutcome,
  describeTarget,
  describeTone,
  isCallRow,
  listRows,
} from '../../models/audit-rows.ts'
import { formatPolicyPath } from '../../models/policy-request.ts'

const SHOWN = 30

/** The newest records of the audit log; each request can be tried again. */
export function RecentDecisions({ changes }: { changes: ReadonlySignal<number> }) {
  const state = useMethod('list_audit_records', { limit: SHOWN }, { changes })
  return (
    <Loading state={state} label="the last decisions">
      {(page) => {
        const rows = listRows(page).flatMap(({ row, position }) =>
          isCallRow(row) ? [{ row, position }] : [],
        )
        if (rows.length === 0) return <EmptyState title="The audit log has no decision yet." />
        return (
          <div class="table-scroll recent" tabIndex={0} role="region" aria-label="Last decisions">
            <table>
              <TableHead
                names={['Time', 'Outcome', 'Caller', 'Request', 'Actions']}
                hidden={['Actions']}
              />
              <tbody>
                {rows.map(({ row, position }) => (
                  <tr key={position}>
                    <td>
                      <Time at={row.time} />
                    </td>
                    <td>
                      <Status value={describeTone(row)} text={describeOutcome(row)} />
                    </td>
                    <td>
                      {row.who.caller} <span class="muted">{row.who.door}</span>
                    </td>
                    <td>
                      <Link to={`/audit?seq=${position}`}>{describeTarget(row)}</Link>
                    </td>
                    <td>
                      <Link
                        to={formatPolicyPath(row)}
                        label={`Try the request of record ${row.seq}`}
                      >
                        Try
                      </Link>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )
      }}
    </Loading>
  )
}
