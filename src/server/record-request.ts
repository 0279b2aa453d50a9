import type { Context } from 'hono'
import { routePath } from 'hono/route'
import type { AppEnv } from './app-env.ts'
import type { Services } from './services.ts'

/** Written down by somebody else, or asked for so often that lines would drown the rest. */
const QUIET = new Set(['/healthz', '/readyz', '/metrics'])

/** Calls are by far the most; each has a line of its own already. */
const ANSWERED = { route: '/rpc', status: '200' }
const NOTIFIED = { route: '/rpc', status: '204' }

/** Counts a request; one line for those that are no call, or never became one. */
export function recordRequest(services: Services, c: Context<AppEnv>, startedAt: number): void {
  const { status } = c.res
  const { method, path } = c.req
  if (path === '/rpc' && method === 'POST' && status < 300) {
    services.metrics.count('skills_http_requests_total', status === 204 ? NOTIFIED : ANSWERED)
    return
  }
  const found = c.res.status === 404 ? 'unknown' : routePath(c, -1)
  services.metrics.count('skills_http_requests_total', {
    route: found === '/*' ? 'unknown' : found,
    status: String(status),
  })
  if (QUIET.has(path) && status < 500) return
  services.log.write(
    status >= 500 ? 'error' : status >= 400 ? 'warn' : 'info',
    `${method} ${path}`,
    {
      status,
      caller: (c.get('caller') as { name: string } | undefined)?.name,
      ms: Math.round((performance.now() - startedAt) * 10) / 10,
    },
  )
}
