import { parseNetworkEntry } from '../../manifest/network-entry.ts'
import type { Outline } from './outline.ts'

/** URL of the first permitted host, for the sample request of generated code. */
export function createUrl({ network: [first = ''] }: Outline): string {
  const entry = parseNetworkEntry(first)
  const isWildcard = !('problem' in entry) && entry.wildcard
  return `${isWildcard ? first.replace('*.', 'www.') : first}/`
}
