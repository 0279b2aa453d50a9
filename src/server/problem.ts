import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { SkillsError } from '../errors.ts'
import type { AppEnv } from './app-env.ts'
import type { Services } from './services.ts'

/** Answers that a request was refused: as JSON-RPC on /rpc and /mcp, as a plain object elsewhere. */
export function problem(
  c: Context<AppEnv>,
  { rpc }: Pick<Services, 'rpc'>,
  error: SkillsError,
): Response {
  c.set('refused', error)
  const status = error.outcome.http as ContentfulStatusCode
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headersFor(error),
  }
  if (c.req.path === '/rpc' || c.req.path === '/mcp')
    return c.body(rpc.refuse(error), status, headers)
  const { message, data: { kind: _, ...data } = {} } = rpc.describe(error)
  return c.body(JSON.stringify({ error: { code: error.code, message, ...data } }), status, headers)
}

function headersFor(error: SkillsError): Record<string, string> {
  if (error.code === 'auth/required') return { 'www-authenticate': 'Bearer realm="skills"' }
  const scope = error.code === 'auth/scope' ? error.data?.['scope'] : undefined
  if (typeof scope === 'string') {
    const challenge = `Bearer realm="skills", error="insufficient_scope", scope="${scope}"`
    return { 'www-authenticate': challenge }
  }
  // What is left of the body is not worth reading.
  if (error.code === 'http/too-large' || error.code === 'http/timeout')
    return { connection: 'close' }
  const retry = error.data?.['retry_after_ms']
  return typeof retry === 'number' ? { 'retry-after': String(Math.ceil(retry / 1000)) } : {}
}
