import { SkillsError } from '../../errors.ts'
import { ANONYMOUS, type Caller, type Scope } from './caller.ts'
import type { ServerContext } from '../server-context.ts'

/** For load balancers, which have no token: these say nothing but that the server is there. */
const PUBLIC_PATHS = new Set(['/healthz', '/readyz'])

/** Who asks. Throws `auth/required` where a token is needed and not given. */
export function authenticate(
  { tokens }: Pick<ServerContext, 'tokens'>,
  path: string,
  header: string | undefined,
): Caller {
  if (!tokens || PUBLIC_PATHS.has(path)) return ANONYMOUS
  const token = /^bearer +([!-~]+) *$/i.exec(header ?? '')?.[1]
  const caller = token === undefined ? undefined : tokens.find(token)
  if (caller) return caller
  const what = header === undefined ? 'A token is required' : 'The token is not accepted'
  throw new SkillsError('auth/required', what, {
    hint: 'Send the header "Authorization: Bearer <token>"',
  })
}

/** Throws `auth/scope` where a caller may not do this. */
export function requireScope(caller: Caller, scope: Scope): void {
  if (caller.scopes.has(scope)) return
  throw new SkillsError('auth/scope', `This token lacks the scope "${scope}"`, { data: { scope } })
}
