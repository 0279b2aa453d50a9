import { setTimeout as sleep } from 'node:timers/promises'
import { Hono, type Context, type Next } from 'hono'
import { SkillsError, toSkillsError } from '../../errors.ts'
import type { AppEnv } from './app-env.ts'
import { addBlobRoutes } from '../blobs/blob-routes.ts'
import { addHealthRoutes } from './health-routes.ts'
import { checkHost, checkOrigin } from '../auth/host-check.ts'
import { addMcpRoutes } from '../rpc/mcp-route.ts'
import { createErrorResponse } from './error-response.ts'
import { recordRequest } from '../telemetry/record-request.ts'
import { addRpcRoutes } from '../rpc/rpc-route.ts'
import { addRunRoutes } from '../runs/run-routes.ts'
import type { ServerContext } from '../server-context.ts'
import { addWellKnownRoutes } from '../well-known/routes.ts'
import { isConsoleNavigation } from '../console/console-paths.ts'
import { addConsoleRoutes } from '../console/console-routes.ts'
import { findCaller } from './find-caller.ts'

/** The HTTP transport: authenticates and checks requests, then routes them. */
export function createApp(context: ServerContext): Hono<AppEnv> {
  const app = new Hono<AppEnv>()
  app.use(async (c, next) => {
    const startedAt = performance.now()
    const response = await admitRequest(c, context, next)
    recordRequest(context, c, startedAt)
    return response
  })
  addRpcRoutes(app, context)
  addMcpRoutes(app, context)
  addBlobRoutes(app, context)
  addRunRoutes(app, context)
  addHealthRoutes(app, context)
  addWellKnownRoutes(app, context)
  if (context.hasConsole) addConsoleRoutes(app, context)
  app.notFound((c) => createErrorResponse(c, context, unknownPathError(c.req.path)))
  app.onError((thrown, c) => createErrorResponse(c, context, toSkillsError(thrown)))
  return app
}

/** Admits a request or sends an error response, also for errors that it throws. */
async function admitRequest(
  c: Context<AppEnv>,
  context: ServerContext,
  next: Next,
): Promise<Response | undefined> {
  try {
    const answered = checkSource(c, context)
    if (answered) return (c.res = answered)
    const caller = findCaller(c, context)
    c.set('caller', caller)
    // Its body is not read meanwhile, so that the client cannot send more.
    const waitMs = context.rateLimiter.holdBack(caller)
    if (waitMs > 0) await sleep(waitMs)
    // /rpc and /mcp count single calls, because a batch contains many.
    if (c.req.path !== '/rpc' && c.req.path !== '/mcp') context.rateLimiter.count(caller)
  } catch (thrown) {
    const refusal = createErrorResponse(c, context, toSkillsError(thrown))
    c.res = refusal
    return refusal
  }
  await next()
  return undefined
}

/** Checks which site a request comes from. Returns the response to a preflight. */
function checkSource(
  c: Context<AppEnv>,
  { trust, hasConsole }: ServerContext,
): Response | undefined {
  const [host, origin] = [c.req.header('host'), c.req.header('origin')]
  checkHost(host, trust)
  const mode = c.req.header('sec-fetch-mode')
  const destination = c.req.header('sec-fetch-dest')
  const isLink = hasConsole === true && isConsoleNavigation(c.req, { mode, destination })
  if (!isLink || origin !== undefined)
    checkOrigin({ origin, host, site: c.req.header('sec-fetch-site') }, trust)
  if (origin === undefined || !trust.origins.has(origin)) return undefined
  if (c.req.method === 'OPTIONS') return answerPreflight(c, origin)
  allowOrigin(c, origin)
  return undefined
}

function unknownPathError(path: string): SkillsError {
  return new SkillsError('http/not-found', `There is nothing at "${path.slice(0, 100)}"`, {
    hint: 'Send calls with POST /rpc',
  })
}

/** Response headers that pages of other origins may read. */
const EXPOSED =
  'ETag, Repr-Digest, Content-Range, Location, Retry-After, WWW-Authenticate, Mcp-Session-Id'
const METHODS = 'GET, HEAD, POST, PUT, DELETE'
const HEADERS =
  'Content-Type, Authorization, Range, If-None-Match, If-Range, Repr-Digest, Last-Event-ID, traceparent, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name'
const MAX_AGE_S = '600'

/** Lets a page of a trusted origin read the response. */
function allowOrigin(c: Context<AppEnv>, origin: string): void {
  c.header('access-control-allow-origin', origin)
  c.header('access-control-expose-headers', EXPOSED)
  c.header('vary', 'Origin')
}

/** Answers a preflight request, which never carries a token. */
function answerPreflight(c: Context<AppEnv>, origin: string): Response {
  allowOrigin(c, origin)
  return c.body(null, 204, {
    'access-control-allow-methods': METHODS,
    'access-control-allow-headers': HEADERS,
    'access-control-max-age': MAX_AGE_S,
  })
}
