import { SCOPES, type Scope } from '../../core/methods/define-method.ts'
import { METHODS_BY_NAME } from '../../core/methods/index.ts'

export { SCOPES, type Scope } from '../../core/methods/define-method.ts'

/** An authenticated principal. Its name appears in logs and run records. */
export interface Caller {
  name: string
  scopes: ReadonlySet<Scope>
  /** Key of the rate limit; undefined for a caller without one. */
  account: string | undefined
  /** Set for the local user who started this process and owns all local data. */
  isLocalUser?: true
}

/** The caller if no token is required; it has all scopes. */
export const ANONYMOUS: Caller = { name: 'anonymous', scopes: new Set(SCOPES), account: undefined }

/** The scope that a method requires, by any of its names. Unknown names require `read`. */
export function resolveScope(method: string): Scope {
  return METHODS_BY_NAME.get(method)?.scope ?? 'read'
}
