import type { CallerLimits } from '../quotas/caller-limits.ts'
import { SCOPES, type Scope } from '../../core/methods/define-method.ts'
import { METHODS_BY_NAME } from '../../core/methods/index.ts'
import { isLoopbackHost } from '../../util/loopback-host.ts'

export { SCOPES, type Scope } from '../../core/methods/define-method.ts'

/** An authenticated principal. Its name appears in logs and run records. */
export interface Caller {
  name: string
  scopes: ReadonlySet<Scope>
  /** Key under which runs share the queue fairly; by default the name. */
  principal?: string
  /** Key of the rate limit; undefined for a caller without one. */
  account: string | undefined
  /** Limits of its token, where they differ from those of the configuration. */
  limits?: CallerLimits | undefined
  /** Set for the local user who started this process and owns all local data. */
  isLocalUser?: true
}

/** The key under which a caller shares the server with others. */
export function getPrincipal({ principal, name }: Caller): string {
  return principal ?? name
}

/** The caller if no token is required; it has all scopes. */
export const ANONYMOUS: Caller = {
  name: 'anonymous',
  scopes: new Set(SCOPES),
  account: undefined,
}

/** The same caller from an address. Its rate is limited unless the address is of this machine. */
export function createAnonymousCaller(address: string | undefined): Caller {
  const known = address === undefined ? undefined : normalizeAddress(address)
  if (known === undefined || isLoopbackHost(known)) return ANONYMOUS
  const principal = `address ${known}`
  return { ...ANONYMOUS, principal, account: principal }
}

/** IPv4 as such; of IPv6 the network of one site, in which a caller can have many addresses. */
function normalizeAddress(address: string): string {
  const ipv4 = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (!ipv4.includes(':') || ipv4 === '::1') return ipv4
  const [head = '', tail] = ipv4.split('::')
  const groups = head.split(':')
  const count = tail === undefined ? 8 : 8 - tail.split(':').length
  while (groups.length < count) groups.push('0')
  return groups.slice(0, 4).join(':')
}

/** The scope that a method requires, by any of its names. Unknown names require `read`. */
export function resolveScope(method: string): Scope {
  return METHODS_BY_NAME.get(method)?.scope ?? 'read'
}
