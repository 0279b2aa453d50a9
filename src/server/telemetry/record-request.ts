import type { Context } from 'hono'
import { routePath } from 'hono/route'
import type { AppEnv } from '../http/app-env.ts'
import { buildOperatorMessage } from './operator-message.ts'
import type { RequestLogLevel } from './request-log.ts'
import type { ServerContext } from '../server-context.ts'

/** Written down by somebody else, or asked for so often that lines would drown the rest. */
const UNLOGGED_PATHS = new Set(['/healthz', '/readyz', '/metrics'])

/** Calls are by far the most; each has a line of its own already. */
const RPC_LABELS = {
  200: { route: '/rpc', status: '200' },
  204: { route: '/rpc', status: '204' },
  400: { route: '/rpc', status: '400' },
} as const

/** Counts a POST /rpc that was answered as one; its calls have lines of their own. */
export function countAnswer(services: ServerContext, status: keyof typeof RPC_LABELS): void {
  services.metrics.count('skills_http_requests_total', RPC_LABELS[status])
}

function isRpcStatus(status: number): status is keyof typeof RPC_LABELS {
  return status in RPC_LABELS
}

/** Counts a request; one line for those that are no call, or never became one. */
export function recordRequest(
  services: ServerContext,
  c: Context<AppEnv>,
  startedAt: number,
): void {
  const { status } = c.res
  const { method, path } = c.req
  const refused = c.get('refused')
  if (path === '/rpc' && method === 'POST' && isRpcStatus(status) && !refused) {
    return countAnswer(services, status)
  }
  services.metrics.count('skills_http_requests_total', {
    route: resolveRoute(c),
    status: String(status),
  })
  if (UNLOGGED_PATHS.has(path) && status < 500) return
  services.log.write(levelOf(status), `${method} ${path}`, {
    status,
    caller: (c.get('caller') as { name: string } | undefined)?.name,
    error: refused?.code,
    reason: refused && buildOperatorMessage(refused),
    ms: Math.round((performance.now() - startedAt) * 10) / 10,
  })
}

/** The pattern, not the path: there are only so many of them. */
function resolveRoute(c: Context<AppEnv>): string {
  const route = c.res.status === 404 ? '/*' : routePath(c, -1)
  return route === '/*' ? 'unknown' : route
}

function levelOf(status: number): RequestLogLevel {
  if (status >= 500) return 'error'
  return status >= 400 ? 'warn' : 'info'
}
