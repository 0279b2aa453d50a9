import type { CallerLimits } from '../quotas/caller-limits.ts'
import { isFromThisMachine, normalizeAddress, type RequestSource } from './request-source.ts'
import { DEFAULT_SCOPES, SCOPES, type Scope } from '../../core/methods/define-method.ts'
import { FORMER_METHODS, METHODS_BY_NAME } from '../../core/methods/index.ts'
import { isLoopbackHost } from '../../util/loopback-host.ts'

export { DEFAULT_SCOPES, SCOPES, type Scope } from '../../core/methods/define-method.ts'

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
export function getPrincipal({ principal, name }: Pick<Caller, 'principal' | 'name'>): string {
  return principal ?? name
}

/** The caller if no token is required. */
export const ANONYMOUS: Caller = {
  name: 'anonymous',
  scopes: new Set(DEFAULT_SCOPES),
  account: undefined,
}

/** The same caller if its request is known to come from this machine. */
const ANONYMOUS_OPERATOR: Caller = { ...ANONYMOUS, scopes: new Set(SCOPES) }

/**
 * The caller of a request without a token. Its rate is limited by its address, unless that is of this
 * machine.
 */
export function createAnonymousCaller(source: RequestSource): Caller {
  const account = findRemoteAccount(source.address)
  if (account !== undefined) return { ...ANONYMOUS, principal: account, account }
  return isFromThisMachine(source) ? ANONYMOUS_OPERATOR : ANONYMOUS
}

/** The account of an address of another machine; undefined for this one, or for no address. */
export function findRemoteAccount(address: string | undefined): string | undefined {
  const known = address === undefined ? undefined : normalizeAddress(address)
  return known === undefined || isLoopbackHost(known) ? undefined : `address ${known}`
}

/** The scope that a method requires, by any of its names. Unknown names require `read`. */
export function resolveScope(method: string): Scope {
  return (METHODS_BY_NAME.get(method) ?? FORMER_METHODS.get(method))?.scope ?? 'read'
}
