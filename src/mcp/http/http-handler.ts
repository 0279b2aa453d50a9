import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server'
import type { ToolCaller } from '../../rpc/tool-caller.ts'
import { createMcpContext } from '../create-mcp-context.ts'
import { makeServer } from '../make-server.ts'
import type { McpOptions } from '../mcp-options.ts'
import { readCaller, toAuthInfo } from './caller-info.ts'
import { createMcpSessions } from './sessions.ts'

/** An authenticated request with its body. */
interface McpHttpRequest {
  request: Request
  /** Parsed body of a POST request. */
  body: unknown
  caller: ToolCaller
}

/**
 * Streamable HTTP. Requests of newer protocol revisions are stateless; those of older ones belong
 * to sessions.
 */
export interface McpHttpHandler {
  handle(request: McpHttpRequest): Promise<Response>
  /** Notifies subscribed clients that skills changed. */
  notifySkillsChanged(): void
  /** Ends the streams and idle sessions of callers whose token is no longer accepted. */
  dropCallers(names: readonly string[]): void
  /** Ends streams that wait for notifications. Running calls continue. */
  drain(): void
  close(): Promise<void>
}

/** Creates the handler. The caller authenticates requests. */
export function createMcpHttpHandler(options: McpOptions): McpHttpHandler {
  const parts = createMcpContext(options)
  const onerror = (error: Error) => options.onNotice('A message could not be served', error.message)
  const modern = createMcpHandler(({ authInfo }) => makeServer(parts, readCaller(authInfo)), {
    legacy: 'reject',
    onerror,
  })
  const sessions = createMcpSessions(parts, onerror)
  const announce = async () => {
    const uris = await parts.catalog.findChanges()
    if (!uris) return
    modern.notify.resourcesChanged()
    for (const uri of uris) modern.notify.resourceUpdated(uri)
    sessions.announceChanges(uris)
  }
  parts.announceChanges = () => void announce().catch(onerror)
  const draining = new AbortController()
  /** End the streams of one caller. */
  const endings = new Map<string, AbortController>()
  const createEndSignal = (name: string) => {
    const ending = endings.get(name) ?? new AbortController()
    endings.set(name, ending)
    return AbortSignal.any([draining.signal, ending.signal])
  }
  const serve = async ({ request, body, caller }: McpHttpRequest) => {
    const authInfo = toAuthInfo(caller)
    if (await isLegacyRequest(request, body)) {
      return await sessions.handle(request, { body, caller, authInfo })
    }
    const effectiveRequest = isListenRequest(body)
      ? withEndSignal(request, createEndSignal(caller.name))
      : request
    return await modern.fetch(effectiveRequest, { authInfo, parsedBody: body })
  }
  return {
    async handle(request) {
      const response = await serve(request)
      // Connection headers belong to the HTTP server.
      response.headers.delete('connection')
      return response
    },
    notifySkillsChanged() {
      parts.announceChanges()
    },
    dropCallers(names) {
      for (const name of names) {
        endings.get(name)?.abort()
        endings.delete(name)
      }
      sessions.dropCallers(names)
    },
    drain() {
      draining.abort()
      sessions.drain()
    },
    async close() {
      await modern.close()
      await sessions.close()
    },
  }
}

function isListenRequest(body: unknown): boolean {
  return (body as { method?: unknown } | undefined)?.method === 'subscriptions/listen'
}

/** Copies a request with an additional abort signal. */
function withEndSignal(request: Request, end: AbortSignal): Request {
  const { url, method, headers } = request
  return new Request(url, { method, headers, signal: AbortSignal.any([request.signal, end]) })
}
