import type { Isolation } from './isolation.ts'

/** Enforcement of the limit on bytes, by the network of a run. */
const ENFORCEMENT: Readonly<Record<Isolation['network'], string>> = {
  none: 'no network',
  filtered: 'runtime',
  host: 'none',
}

/** Describes how `run.limits.network_bytes` is enforced, for the result of a run. */
export function describeNetworkLimit(network: Isolation['network']): Record<string, string> {
  return { network_bytes: ENFORCEMENT[network] }
}
