import { Hono } from 'hono'
import { SkillsError, toSkillsError } from '../errors.ts'
import { authenticate } from './authenticate.ts'
import type { AppEnv } from './app-env.ts'
import { checkHost, checkOrigin } from './host-check.ts'
import { problem } from './problem.ts'
import { rpcRoutes } from './rpc-route.ts'
import type { Services } from './services.ts'

/** The HTTP door: checks who asks and from where, then hands over to the routes. */
export function createApp(services: Services): Hono<AppEnv> {
  const app = new Hono<AppEnv>()
  app.use(async (c, next) => {
    const header = (name: string) => c.req.header(name)
    checkHost(header('host'), services.trust)
    checkOrigin(
      { origin: header('origin'), host: header('host'), site: header('sec-fetch-site') },
      services.trust,
    )
    c.set('caller', authenticate(services, c.req.path, header('authorization')))
    await next()
  })
  rpcRoutes(app, services)
  app.notFound((c) => problem(c, services, unknownPath(c.req.path)))
  app.onError((thrown, c) => problem(c, services, toSkillsError(thrown)))
  return app
}

function unknownPath(path: string): SkillsError {
  return new SkillsError('http/not-found', `There is nothing at "${path.slice(0, 100)}"`, {
    hint: 'Send calls with POST /rpc',
  })
}
