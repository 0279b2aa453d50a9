import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { SkillsError } from '../errors.ts'
import type { AppEnv } from './app-env.ts'
import { JSON_HEADERS } from './rpc-answer.ts'
import type { Services } from './services.ts'

/** Answers that a request was refused: as JSON-RPC on /rpc and /mcp, as a plain object elsewhere. */
export function problem(
  c: Context<AppEnv>,
  { rpc }: Pick<Services, 'rpc'>,
  error: SkillsError,
): Response {
  c.set('refused', error)
  const status = error.outcome.http as ContentfulStatusCode
  const headers: Record<string, string> = { ...JSON_HEADERS, ...headersFor(error) }
  return c.body(problemText(rpc, c.req.path, error), status, headers)
}

/** What the body of such an answer says. */
export function problemText(rpc: Services['rpc'], path: string, error: SkillsError): string {
  if (path === '/rpc' || path === '/mcp') return rpc.refuse(error)
  const { message, data: { kind: _, ...data } = {} } = rpc.describe(error)
  return JSON.stringify({ error: { code: error.code, message, ...data } })
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
