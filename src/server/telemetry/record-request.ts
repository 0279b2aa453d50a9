import type { Context } from 'hono'
import { routePath } from 'hono/route'
import type { AppEnv } from '../http/app-env.ts'
import { asksForConsole } from '../http/find-caller.ts'
import { buildOperatorMessage } from './operator-message.ts'
import type { RequestLogLevel } from './request-log.ts'
import type { ServerContext } from '../server-context.ts'

/** Polled so often that log lines would drown the others. */
const UNLOGGED_PATHS = new Set(['/healthz', '/readyz', '/metrics'])

/** Labels of the most frequent requests, allocated once. */
const RPC_LABELS = {
  200: { route: '/rpc', status: '200' },
  204: { route: '/rpc', status: '204' },
  400: { route: '/rpc', status: '400' },
} as const

/** Counts an answered POST /rpc. It gets no log line, because each of its calls has one. */
export function countAnswer(context: ServerContext, status: keyof typeof RPC_LABELS): void {
  context.metrics.count('skills_http_requests_total', RPC_LABELS[status])
}

function isRpcStatus(status: number): status is keyof typeof RPC_LABELS {
  return status in RPC_LABELS
}

/** Counts a request, and logs it unless its calls are logged. */
export function recordRequest(context: ServerContext, c: Context<AppEnv>, startedAt: number): void {
  const { status } = c.res
  const { method, path } = c.req
  const refused = c.get('refused')
  if (path === '/rpc' && method === 'POST' && isRpcStatus(status) && !refused) {
    return countAnswer(context, status)
  }
  context.metrics.count('skills_http_requests_total', {
    route: resolveRoute(c),
    status: String(status),
  })
  if (UNLOGGED_PATHS.has(path) && status < 500) return
  // A page consists of many files, and tells nothing about its caller.
  if (status < 400 && asksForConsole(c, context)) return
  context.log.write(chooseRequestLogLevel(status), `${method} ${path}`, {
    status,
    caller: (c.get('caller') as { name: string } | undefined)?.name,
    error: refused?.code,
    reason: refused && buildOperatorMessage(refused),
    ms: Math.round((performance.now() - startedAt) * 10) / 10,
  })
}

/** Returns the route pattern instead of the path, to limit the number of labels. */
function resolveRoute(c: Context<AppEnv>): string {
  const route = c.res.status === 404 ? '/*' : routePath(c, -1)
  return route === '/*' ? 'unknown' : route
}

function chooseRequestLogLevel(status: number): RequestLogLevel {
  if (status >= 500) return 'error'
  return status >= 400 ? 'warn' : 'info'
}
