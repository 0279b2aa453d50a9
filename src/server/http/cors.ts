import type { Context } from 'hono'
import type { AppEnv } from './app-env.ts'

/** Response headers that pages of other origins may read. */
const EXPOSED =
  'ETag, Repr-Digest, Content-Range, Location, Retry-After, WWW-Authenticate, Mcp-Session-Id'
const METHODS = 'GET, HEAD, POST, PUT, DELETE'
const HEADERS =
  'Content-Type, Authorization, Range, If-None-Match, If-Range, Repr-Digest, Last-Event-ID, traceparent, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name'
const MAX_AGE_S = '600'

/** Lets a page of a trusted origin read the response. */
export function allowOrigin(c: Context<AppEnv>, origin: string): void {
  c.header('access-control-allow-origin', origin)
  c.header('access-control-expose-headers', EXPOSED)
  c.header('vary', 'Origin')
}

/** Answers a preflight request, which never carries a token. */
export function answerPreflight(c: Context<AppEnv>, origin: string): Response {
  allowOrigin(c, origin)
  return c.body(null, 204, {
    'access-control-allow-methods': METHODS,
    'access-control-allow-headers': HEADERS,
    'access-control-max-age': MAX_AGE_S,
  })
}
