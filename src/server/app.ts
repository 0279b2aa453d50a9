import { Hono, type Context } from 'hono'
import { SkillsError, toSkillsError } from '../errors.ts'
import type { AppEnv } from './app-env.ts'
import { authenticate } from './authenticate.ts'
import { blobRoutes } from './blob-routes.ts'
import { answerPreflight, allowOrigin } from './cors.ts'
import { healthRoutes } from './health-routes.ts'
import { checkHost, checkOrigin } from './host-check.ts'
import { problem } from './problem.ts'
import { recordRequest } from './record-request.ts'
import { rpcRoutes } from './rpc-route.ts'
import { runRoutes } from './run-routes.ts'
import type { Services } from './services.ts'
import { wellKnownRoutes } from './well-known/routes.ts'

/** The HTTP door: checks who asks and from where, then hands over to the routes. */
export function createApp(services: Services): Hono<AppEnv> {
  const app = new Hono<AppEnv>()
  app.use(async (c, next) => {
    const startedAt = performance.now()
    await next()
    c.res.headers.set('x-content-type-options', 'nosniff')
    // A kept connection would hold up the end.
    if (services.gate.isClosed) c.res.headers.set('connection', 'close')
    recordRequest(services, c, startedAt)
  })
  app.use(async (c, next) => {
    checkSender(c, services)
    const origin = c.req.header('origin')
    if (origin !== undefined && services.trust.origins.has(origin)) {
      if (c.req.method === 'OPTIONS') return answerPreflight(c, origin)
      allowOrigin(c, origin)
    }
    c.set('caller', authenticate(services, c.req.path, c.req.header('authorization')))
    return await next()
  })
  rpcRoutes(app, services)
  blobRoutes(app, services)
  runRoutes(app, services)
  healthRoutes(app, services)
  wellKnownRoutes(app, services)
  app.notFound((c) => problem(c, services, unknownPath(c.req.path)))
  app.onError((thrown, c) => problem(c, services, toSkillsError(thrown)))
  return app
}

function checkSender(c: Context<AppEnv>, { trust }: Services): void {
  const host = c.req.header('host')
  checkHost(host, trust)
  checkOrigin({ origin: c.req.header('origin'), host, site: c.req.header('sec-fetch-site') }, trust)
}

function unknownPath(path: string): SkillsError {
  return new SkillsError('http/not-found', `There is nothing at "${path.slice(0, 100)}"`, {
    hint: 'Send calls with POST /rpc',
  })
}
