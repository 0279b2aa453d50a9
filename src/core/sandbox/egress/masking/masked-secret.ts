import type { SecretPlace } from '../../../skills/manifest/secret-use.ts'
import { coversEntry, type NetworkEntry } from '../../../skills/manifest/network-entry.ts'
import type { NetworkRefusal } from '../decision.ts'
import { bracketHost, type NetworkDestination } from '../destination.ts'

/** A secret whose value never enters the sandbox, which has the stand-in. */
export interface MaskedSecret {
  name: string
  value: string
  /** It has the shape of the value, and is new for each run. */
  standIn: string
  /** The only destinations whose requests get the value. */
  hosts: readonly NetworkEntry[]
  places: readonly SecretPlace[]
}

/** True if requests to the destination get the value. */
export function isSentTo(secret: MaskedSecret, destination: NetworkDestination): boolean {
  const entry = { ...destination, wildcard: false }
  return secret.hosts.some((host) => coversEntry(host, entry))
}

/** The refusal of a stand-in that is sent to another destination. */
export function refuseStandIn(
  { name }: MaskedSecret,
  { scheme, host }: NetworkDestination,
): NetworkRefusal {
  const where = scheme === 'http' ? `http://${bracketHost(host)}` : bracketHost(host)
  return { reason: 'secret-elsewhere', message: `${name} was sent to ${where}: refused` }
}
