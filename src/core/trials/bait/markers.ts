import { randomBytes } from 'node:crypto'

export const MARKER_LENGTH = 40

const CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** A random text that exists in one place of the bait only. */
export interface Marker {
  /** File or variable, for people. */
  label: string
  value: string
  /** Hosts to which its service belongs: sending it there is its purpose. */
  hosts: readonly string[]
  /** True for a document: a skill may send it to the hosts that it names. */
  isDocument?: true
}

/** Creates the markers of one run of trials. */
export class MarkerMint {
  readonly markers: Marker[] = []

  /** Creates a marker that nothing else contains. */
  create(label: string, more: Partial<Pick<Marker, 'hosts' | 'isDocument'>> = {}): string {
    const value = createRandomText(MARKER_LENGTH)
    this.markers.push({ label, value, hosts: [], ...more })
    return value
  }
}

/** Random letters and digits. */
export function createRandomText(length: number): string {
  return Array.from(randomBytes(length), (byte) => CHARACTERS[byte % CHARACTERS.length]).join('')
}

/** True if a host is one of these, or below one. */
export function belongsTo(host: string, owners: readonly string[]): boolean {
  const name = host.toLowerCase().replace(/\.$/, '')
  return owners.some((owner) => name === owner || name.endsWith(`.${owner}`))
}
