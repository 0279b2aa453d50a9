import type { Hono } from 'hono'
import type { AppEnv } from './app-env.ts'
import { requireScope } from '../auth/authenticate.ts'
import { rejectOtherMethods } from './other-methods.ts'
import type { ServerContext } from '../server-context.ts'

const NO_STORE = { 'cache-control': 'no-store' }

/** Endpoints for monitoring. */
export function addHealthRoutes(app: Hono<AppEnv>, context: ServerContext): void {
  app.get('/healthz', (c) => c.json({ status: 'ok' }, 200, NO_STORE))
  app.get('/readyz', async (c) => {
    const reason = await findNotReadyReason(context)
    const refused = context.refusedParts()
    // An earlier state is in use: the server works, but an operator has to act.
    const notice = refused.length > 0 ? { refused_changes: refused } : {}
    if (reason === undefined) return c.json({ status: 'ready', ...notice }, 200, NO_STORE)
    return c.json({ status: 'not ready', reason }, 503, NO_STORE)
  })
  app.get('/metrics', async (c) => {
    requireScope(c.get('caller'), 'read')
    const own = await context.metrics.render()
    return c.body(own + ((await context.node?.renderMetrics()) ?? ''), 200, {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      ...NO_STORE,
    })
  })
  app.get('/openrpc.json', (c) => {
    requireScope(c.get('caller'), 'read')
    return c.json(context.rpc.api(), 200, NO_STORE)
  })
  const paths = ['/healthz', '/readyz', '/metrics', '/openrpc.json']
  rejectOtherMethods(app, context, Object.fromEntries(paths.map((path) => [path, ['GET', 'HEAD']])))
}

/** Ready if skills can be listed, and the server and its fleet accept calls. */
async function findNotReadyReason({
  runtime,
  runQueue,
  node,
}: ServerContext): Promise<string | undefined> {
  if (runQueue.isClosed) return 'shutting down'
  const problem = node?.findProblem()
  if (problem !== undefined) return problem
  try {
    await runtime.repository.list()
    return undefined
  } catch {
    return 'the skills cannot be read'
  }
}
