import { toPrintableLines } from '../../../util/printable.ts'
import { Status } from '../../components/status.tsx'
import type { RunTab, RunTabProps } from './run-tab.ts'

type Record = RunTabProps['record']

/** The decision of the policy, and the isolation that the kernel reported from inside. */
export const PolicyTab: RunTab = ({ record }) => (
  <div class="two-columns">
    <section>
      <h2>Policy</h2>
      <Decision policy={record.policy} />
    </section>
    <section>
      <h2>Isolation</h2>
      <AppliedIsolation isolation={record.isolation} />
    </section>
  </div>
)

function Decision({ policy }: Pick<Record, 'policy'>) {
  const { allowed, reasons, network, secrets, decision, audit } = policy
  return (
    <dl>
      <dt>Decision</dt>
      <dd>
        <Status value={allowed ? 'allowed' : 'refused'} />
        {decision?.layer !== undefined && ` by the layer ${decision.layer}`}
        {decision?.code !== undefined && (
          <>
            {' '}
            <code>{decision.code}</code>
          </>
        )}
      </dd>
      {reasons.length > 0 && (
        <>
          <dt>Reasons</dt>
          {reasons.map((reason) => (
            <dd key={reason}>{toPrintableLines(reason)}</dd>
          ))}
        </>
      )}
      {decision && <DecisionFacts decision={decision} />}
      <dt>Hosts</dt>
      <dd>{network.length === 0 ? 'none' : network.map(toPrintableLines).join(', ')}</dd>
      <dt>Secrets</dt>
      <dd>{secrets.length === 0 ? 'none' : secrets.join(', ')}</dd>
      {audit && (
        <>
          <dt>Audit log</dt>
          <dd>
            record {audit.seq} <code>{audit.hash.slice(0, 19)}…</code>
          </dd>
        </>
      )}
    </dl>
  )
}

function DecisionFacts({ decision }: { decision: NonNullable<Record['policy']['decision']> }) {
  const { rules, approval } = decision
  return (
    <>
      {rules.length > 0 && (
        <>
          <dt>Rules</dt>
          <dd>{rules.join(', ')}</dd>
        </>
      )}
      {approval && (
        <>
          <dt>Approval</dt>
          <dd>
            {approval.answer} {approval.by} {approval.reason}
          </dd>
        </>
      )}
    </>
  )
}

const NETWORKS = {
  none: 'No network',
  filtered: 'Only the hosts of the list',
  host: 'Everything that this machine reaches',
} as const

function AppliedIsolation({ isolation }: Pick<Record, 'isolation'>) {
  if (isolation === null) return <p class="muted">Nothing was started.</p>
  const { backend, executor, engine, kernel, path, reason, tier, namespaces, user } = isolation
  const { seccomp, landlock, network, folders, host_sockets, host_packages, memory_layout } =
    isolation
  return (
    <dl>
      <dt>Sandbox</dt>
      <dd>{[backend, executor, engine, kernel].filter(Boolean).join(', ')}</dd>
      <dt>Strength</dt>
      <dd>
        <Status value={tier === 'strict' ? 'ok' : 'warning'} text={tier} />
      </dd>
      <dt>Start</dt>
      <dd>
        {path}: {reason}
      </dd>
      <dt>Namespaces</dt>
      <dd>{namespaces.length === 0 ? 'none' : namespaces.join(', ')}</dd>
      <dt>User inside</dt>
      <dd>{user}</dd>
      <dt>System calls</dt>
      <dd>{seccomp ? 'filtered' : 'not filtered'}</dd>
      <dt>Second wall</dt>
      <dd>{landlock ? 'Landlock' : 'none'}</dd>
      <dt>Memory layout</dt>
      <dd>{memory_layout}</dd>
      <dt>Network</dt>
      <dd>{NETWORKS[network]}</dd>
      {folders && folders.length > 0 && (
        <>
          <dt>Folders</dt>
          {folders.map(({ target, how }) => (
            <dd key={target}>
              <code>{target}</code> {how}
            </dd>
          ))}
        </>
      )}
      {host_sockets && (
        <>
          <dt>Sockets of the host</dt>
          <dd>
            <Status value="warning" text={host_sockets.join(', ')} />
          </dd>
        </>
      )}
      {host_packages && (
        <>
          <dt>Packages</dt>
          <dd>Those of this machine could be used</dd>
        </>
      )}
    </dl>
  )
}
