import { Hono, type Context, type Next } from 'hono'
import { SkillsError, toSkillsError } from '../../errors.ts'
import type { AppEnv } from './app-env.ts'
import { authenticate } from '../auth/authenticate.ts'
import { blobRoutes } from '../blobs/blob-routes.ts'
import { answerPreflight, allowOrigin } from './cors.ts'
import { healthRoutes } from './health-routes.ts'
import { checkHost, checkOrigin } from '../auth/host-check.ts'
import { mcpRoutes } from '../rpc/mcp-route.ts'
import { problem } from './problem.ts'
import { recordRequest } from '../telemetry/record-request.ts'
import { rpcRoutes } from '../rpc/rpc-route.ts'
import { runRoutes } from '../runs/run-routes.ts'
import type { ServerContext } from '../server-context.ts'
import { wellKnownRoutes } from '../well-known/routes.ts'

/** The HTTP door: checks who asks and from where, then hands over to the routes. */
export function createApp(services: ServerContext): Hono<AppEnv> {
  const app = new Hono<AppEnv>()
  app.use(async (c, next) => {
    const startedAt = performance.now()
    const response = await enter(c, services, next)
    recordRequest(services, c, startedAt)
    return response
  })
  rpcRoutes(app, services)
  mcpRoutes(app, services)
  blobRoutes(app, services)
  runRoutes(app, services)
  healthRoutes(app, services)
  wellKnownRoutes(app, services)
  app.notFound((c) => problem(c, services, unknownPath(c.req.path)))
  app.onError((thrown, c) => problem(c, services, toSkillsError(thrown)))
  return app
}

/** Lets a request in, or answers it here. Whatever it throws is answered as well. */
async function enter(
  c: Context<AppEnv>,
  services: ServerContext,
  next: Next,
): Promise<Response | undefined> {
  try {
    const { trust } = services
    const [host, origin] = [c.req.header('host'), c.req.header('origin')]
    checkHost(host, trust)
    checkOrigin({ origin, host, site: c.req.header('sec-fetch-site') }, trust)
    if (origin !== undefined && trust.origins.has(origin)) {
      if (c.req.method === 'OPTIONS') return answerPreflight(c, origin)
      allowOrigin(c, origin)
    }
    const caller = authenticate(services, c.req.path, c.req.header('authorization'))
    c.set('caller', caller)
    // Calls are counted one by one, for a batch holds many, and a tool call is one of them.
    if (c.req.path !== '/rpc' && c.req.path !== '/mcp') services.rates.count(caller.account)
  } catch (thrown) {
    const refusal = problem(c, services, toSkillsError(thrown))
    c.res = refusal
    return refusal
  }
  await next()
  return undefined
}

function unknownPath(path: string): SkillsError {
  return new SkillsError('http/not-found', `There is nothing at "${path.slice(0, 100)}"`, {
    hint: 'Send calls with POST /rpc',
  })
}
