import { toPrintableLines } from '../../../util/printable.ts'
import { formatBytes } from '../../../util/quantity.ts'
import { Status } from '../../components/status.tsx'
import { TableHead } from '../../components/table-head.tsx'
import type { RunTab } from './run-tab.ts'

/** Attempts to reach the network, in their order. */
export const NetworkTab: RunTab = ({ record }) => {
  const { network, network_bytes, isolation } = record
  if (network === undefined) {
    return <p class="muted">{describeNetwork(isolation?.network)}</p>
  }
  return (
    <>
      <p>
        {network.length} attempts
        {network_bytes !== undefined && `, ${formatBytes(network_bytes)} sent and received`}
      </p>
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Attempts">
        <table>
          <TableHead names={['Decision', 'Destination', 'Through', 'Reason']} />
          <tbody>
            {network.map(({ allowed, host, port, scheme, via, address, message }, at) => (
              <tr key={at}>
                <td>
                  <Status value={allowed ? 'allowed' : 'refused'} />
                </td>
                <td>
                  <code>
                    {scheme === null ? '' : `${scheme}://`}
                    {toPrintableLines(host ?? 'unreadable')}
                    {port === null ? '' : `:${port}`}
                  </code>
                  {address !== undefined && <span class="muted"> {address}</span>}
                </td>
                <td>{via}</td>
                <td>{toPrintableLines(message)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

function describeNetwork(network: string | undefined): string {
  if (network === 'none') return 'This run had no network.'
  if (network === 'host')
    return 'This run had the network of the machine; nothing counted its attempts.'
  return 'Nothing was started, so there are no attempts.'
}
