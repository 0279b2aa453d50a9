import { useEffect } from 'preact/hooks'
import type { ListNodesResult } from '../../../core/methods/list-nodes/definition.ts'
import { useMethod } from '../../app/use-method.ts'
import { Status } from '../../components/status.tsx'
import { TableHead } from '../../components/table-head.tsx'
import { Time } from '../../components/time.tsx'
import { describeNodeState, sumStreams } from './node-states.ts'
import { formatBytes, formatCount } from '../../models/quantities.ts'

type Fleet = NonNullable<ListNodesResult['fleet']>
type ListedNode = Fleet['nodes'][number]

const REFRESH_MS = 2000

/** The engine and the nodes of the fleet, read every two seconds; nothing on a single server. */
export function FleetNodes() {
  const { data, reload } = useMethod('list_nodes', {})
  const fleet = data?.fleet ?? undefined
  const isFleet = fleet !== undefined
  useEffect(() => {
    if (!isFleet) return undefined
    const timer = setInterval(() => {
      if (!document.hidden) reload()
    }, REFRESH_MS)
    return () => clearInterval(timer)
  }, [isFleet])
  if (!fleet) return null
  return (
    <>
      <h2>Nodes of the fleet</h2>
      <EngineFacts fleet={fleet} />
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Nodes of the fleet">
        <table class="nodes">
          <TableHead names={['Node', 'Role', 'Places in use', 'Waiting', 'State', 'Last heard']} />
          <tbody>
            {fleet.nodes.map((node) => (
              <NodeRow key={`${node.role} ${node.name}`} node={node} all={fleet.nodes} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

function EngineFacts({ fleet: { node, tenant, engine } }: { fleet: Fleet }) {
  const streams = sumStreams(engine.streams ?? [])
  return (
    <p class="list-facts">
      Engine: nats-server {engine.version}{' '}
      <Status
        value={engine.answering ? 'ok' : 'failed'}
        text={engine.answering ? 'answers' : 'does not answer'}
      />
      {engine.streams !== null && (
        <span class="muted">
          {' '}
          {formatCount(streams.messages)} messages, {formatBytes(streams.bytes)}
        </span>
      )}
      <span class="muted">
        {' '}
        tenant {tenant}, as {node} hears it
      </span>
    </p>
  )
}

function NodeRow({ node, all }: { node: ListedNode; all: readonly ListedNode[] }) {
  const { name, role, version, running, waiting, places, labels, heard_at: heardAt } = node
  const { value, text } = describeNodeState(node, all)
  return (
    <tr>
      <th scope="row">
        {name}
        <div class="muted description">{[version, ...labels].join(' · ')}</div>
      </th>
      <td>{role}</td>
      <td>
        {places === null ? `${formatCount(running)} sent` : `${running} of ${places}`}
        {places !== null && <PlacesBar used={running} places={places} />}
      </td>
      <td class="number">{formatCount(waiting)}</td>
      <td>
        <Status value={value} text={text} />
      </td>
      <td>
        <Time at={heardAt} />
      </td>
    </tr>
  )
}

/** The numbers are text, so the bar is decoration. */
function PlacesBar({ used, places }: { used: number; places: number }) {
  return (
    <svg class="places-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect class="all" width="100" height="4" />
      <rect width={places === 0 ? 0 : (100 * used) / places} height="4" />
    </svg>
  )
}
