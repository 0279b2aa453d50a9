import type { Context, Hono } from 'hono'
import { SkillsError } from '../../errors.ts'
import { REQUEST_LIMITS } from '../../rpc/json-limits.ts'
import { readJsonBody } from '../../rpc/read-json.ts'
import type { AppEnv } from '../http/app-env.ts'
import { requireScope } from '../auth/authenticate.ts'
import { getPrincipal, resolveScope, type Caller } from '../auth/caller.ts'
import { rejectEncoding, requireJson } from '../http/content-type.ts'
import { createBodyLimits, readBody } from '../http/read-body.ts'
import type { ForwardedSessionRequest } from '../served-node.ts'
import type { ServerContext } from '../server-context.ts'
import { createToolCaller } from './tool-caller.ts'

/** Maximum number of messages in one body. Newer protocol revisions have no batches. */
const MAX_MESSAGES = 100

/** `/mcp`: the same checks as for /rpc, then the MCP handler. */
export function addMcpRoutes(app: Hono<AppEnv>, context: ServerContext): void {
  const { mcp, node } = context
  if (!mcp) return
  const serve = async ({ request, body, caller }: ForwardedSessionRequest) =>
    await mcp.handle({ request, body, caller: createToolCaller(context, caller) })
  node?.receive(serve)
  const bodyLimits = createBodyLimits(context)
  app.on(['GET', 'POST', 'DELETE'], '/mcp', async (c) => {
    const caller = c.get('caller')
    let body: unknown
    if (c.req.method === 'POST') {
      requireJson(c.req.header('content-type'))
      rejectEncoding(c.req.header('content-encoding'))
      const bytes = await readBody(c.req.raw, findIncoming(c), {
        ...bodyLimits,
        caller: getPrincipal(caller),
      })
      body = await readJsonBody(bytes, REQUEST_LIMITS)
    }
    admitMessages(context, caller, body)
    const request = { request: c.req.raw, body, caller }
    return (await node?.forward(request)) ?? (await serve(request))
  })
  app.all('/mcp', (c) => {
    c.header('allow', 'GET, POST, DELETE')
    throw new SkillsError('http/method', `Expected GET, POST or DELETE, got ${c.req.method}`)
  })
}

function findIncoming(c: Context<AppEnv>) {
  const incoming = c.env?.incoming
  return incoming && 'socket' in incoming ? incoming : undefined
}

/**
 * Counts all messages except tool calls, which are counted when they execute. Every message
 * requires a scope.
 */
function admitMessages({ rateLimiter: rates }: ServerContext, caller: Caller, body: unknown): void {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body]
  if (messages.length > MAX_MESSAGES) {
    throw new SkillsError(
      'rpc/invalid-request',
      `Expected at most ${MAX_MESSAGES} messages, got ${messages.length}`,
    )
  }
  for (const message of messages) {
    const { method, params } = (message ?? {}) as { method?: unknown; params?: unknown }
    const { name } = (params ?? {}) as { name?: unknown }
    const isCall = method === 'tools/call' && typeof name === 'string'
    requireScope(caller, isCall ? resolveScope(name) : 'read')
    if (!isCall) rates.count(caller)
  }
}
