import { METHODS } from '../../core/methods/index.ts'
import type { Method } from '../../core/methods/method.ts'

/** What a token may do: look and fetch, run code, store blobs and skills. */
export const SCOPES = ['read', 'run', 'write'] as const
export type Scope = (typeof SCOPES)[number]

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

const SCOPE_OF: Readonly<Record<string, Scope>> = {
  execute_skill: 'run',
  run_code: 'run',
  create_blob: 'write',
  create_skill: 'write',
}

/** Whatever is not said to leave things as they are needs more than looking. */
const ALL: readonly Pick<Method, 'name' | 'aliases' | 'readOnly'>[] = METHODS
const CHANGING = new Set(
  ALL.filter((each) => !each.readOnly).flatMap(({ name, aliases = [] }) => [name, ...aliases]),
)

/** The scope that a method needs. */
export function scopeOf(method: string): Scope {
  if (Object.hasOwn(SCOPE_OF, method)) return SCOPE_OF[method] as Scope
  return CHANGING.has(method) ? 'run' : 'read'
}
