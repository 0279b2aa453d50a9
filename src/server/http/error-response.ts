import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { ErrorCode, SkillsError } from '../../errors.ts'
import type { AppEnv } from './app-env.ts'
import { JSON_HEADERS } from '../rpc/rpc-answer.ts'
import type { ServerContext } from '../server-context.ts'

/**
 * Builds the response to a rejected request: as JSON-RPC on /rpc and /mcp, as a plain object
 * elsewhere.
 */
export function createErrorResponse(
  c: Context<AppEnv>,
  { rpc }: Pick<ServerContext, 'rpc'>,
  error: SkillsError,
): Response {
  c.set('refused', error)
  const status = error.outcome.http as ContentfulStatusCode
  const headers: Record<string, string> = { ...JSON_HEADERS, ...buildErrorHeaders(error) }
  return c.body(renderErrorBody(rpc, c.req.path, error), status, headers)
}

const UNREAD_BODY_CODES = new Set<ErrorCode>(['http/too-large', 'http/timeout', 'blob/too-large'])

/** Renders the body of an error response. */
export function renderErrorBody(
  rpc: ServerContext['rpc'],
  path: string,
  error: SkillsError,
): string {
  if (path === '/rpc' || path === '/mcp') return rpc.refuse(error)
  const { message, data: { kind: _, ...data } = {} } = rpc.describe(error)
  if (error.code === 'params/invalid') {
    return JSON.stringify({ error: { code: error.code, message, ...data } })
  }
  // The missing resource is named by the path, not by a parameter.
  const { param: _param, reason, ...rest } = data
  const shortMessage = typeof reason === 'string' && message.endsWith(reason) ? reason : message
  return JSON.stringify({ error: { code: error.code, message: shortMessage, ...rest } })
}

function buildErrorHeaders(error: SkillsError): Record<string, string> {
  if (error.code === 'auth/required') return { 'www-authenticate': 'Bearer realm="skills"' }
  const scope = error.code === 'auth/scope' ? error.data?.['scope'] : undefined
  if (typeof scope === 'string') {
    const challenge = `Bearer realm="skills", error="insufficient_scope", scope="${scope}"`
    return { 'www-authenticate': challenge }
  }
  // The rest of the body is not read, so the connection cannot be reused.
  if (UNREAD_BODY_CODES.has(error.code)) return { connection: 'close' }
  const retry = error.data?.['retry_after_ms']
  return typeof retry === 'number' ? { 'retry-after': String(Math.ceil(retry / 1000)) } : {}
}
