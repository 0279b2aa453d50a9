import { SCOPES, type Scope } from '../../core/methods/define-method.ts'
import { METHODS_BY_NAME } from '../../core/methods/index.ts'

export { SCOPES, type Scope } from '../../core/methods/define-method.ts'

/** Who asks; the name stands in logs and run records. */
export interface Caller {
  name: string
  scopes: ReadonlySet<Scope>
  /** Calls are counted for each of these; undefined where nobody is counted. */
  account: string | undefined
  /** Whoever started this process, to whom everything on this machine belongs. */
  isLocalUser?: true
}

/** Everybody, where no token is asked for. */
export const ANONYMOUS: Caller = { name: 'anonymous', scopes: new Set(SCOPES), account: undefined }

/** The scope that a method needs, by any of its names. What is no method is only looked at. */
export function resolveScope(method: string): Scope {
  return METHODS_BY_NAME.get(method)?.scope ?? 'read'
}
