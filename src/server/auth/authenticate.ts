import { SkillsError } from '../../errors.ts'
import { ANONYMOUS, createAnonymousCaller, type Caller, type Scope } from './caller.ts'
import type { RequestSource } from './request-source.ts'
import type { ServerContext } from '../server-context.ts'

/**
 * Unauthenticated health checks for load balancers. They reveal only that the server is running.
 */
const PUBLIC_PATHS = new Set(['/healthz', '/readyz'])

/** Resolves the caller. Throws `auth/required` if a token is missing or wrong. */
export function authenticate(
  { tokens, consoleSessions }: Pick<ServerContext, 'tokens' | 'consoleSessions'>,
  path: string,
  source: RequestSource,
): Caller {
  if (PUBLIC_PATHS.has(path)) return ANONYMOUS
  if (!tokens) return createAnonymousCaller(source)
  const { authorization } = source.headers
  const header = typeof authorization === 'string' ? authorization : undefined
  const token = /^bearer +([!-~]+) *$/i.exec(header ?? '')?.[1]
  const caller =
    token === undefined ? undefined : (tokens.find(token) ?? consoleSessions?.find(token))
  if (caller) return caller
  const message = header === undefined ? 'A token is required' : 'The token is not accepted'
  throw new SkillsError('auth/required', message, {
    hint: 'Send the header "Authorization: Bearer <token>"',
  })
}

/** Throws `auth/scope` if the caller lacks a scope. */
export function requireScope(caller: Caller, scope: Scope): void {
  if (caller.scopes.has(scope)) return
  throw new SkillsError('auth/scope', `This token lacks the scope "${scope}"`, { data: { scope } })
}
