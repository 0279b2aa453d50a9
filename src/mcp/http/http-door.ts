import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server'
import type { ToolCaller } from '../../rpc/tool-caller.ts'
import { makeParts } from '../make-parts.ts'
import { makeServer } from '../make-server.ts'
import type { McpOptions } from '../mcp-options.ts'
import { callerOf, infoOf } from './caller-info.ts'
import { openSessions } from './sessions.ts'

/** One request that was let in, its body read. */
interface HttpRequest {
  request: Request
  /** The parsed body of a POST. */
  body: unknown
  caller: ToolCaller
}

/** Streamable HTTP: requests of the newer protocol by themselves, of the older one in sessions. */
export interface HttpDoor {
  answer(request: HttpRequest): Promise<Response>
  /** Says to whoever listens that skills were edited. */
  skillsChanged(): void
  /** Ends what waits for news; calls that are under way go on. */
  drain(): void
  close(): Promise<void>
}

/** Opens the door. Who may come in is somebody else's business. */
export function openHttpDoor(options: McpOptions): HttpDoor {
  const parts = makeParts(options)
  const onerror = (error: Error) => options.onRemark('A message could not be served', error.message)
  const modern = createMcpHandler(({ authInfo }) => makeServer(parts, callerOf(authInfo)), {
    legacy: 'reject',
    onerror,
  })
  const sessions = openSessions(parts, onerror)
  const tell = async () => {
    const uris = await parts.catalog.changes()
    if (!uris) return
    modern.notify.resourcesChanged()
    for (const uri of uris) modern.notify.resourceUpdated(uri)
    sessions.tellChanges(uris)
  }
  parts.tellChanges = () => void tell().catch(onerror)
  const draining = new AbortController()
  const serve = async ({ request, body, caller }: HttpRequest) => {
    const authInfo = infoOf(caller)
    if (await isLegacyRequest(request, body)) {
      return await sessions.answer(request, { body, caller, authInfo })
    }
    const own = isListening(body) ? endable(request, draining.signal) : request
    return await modern.fetch(own, { authInfo, parsedBody: body })
  }
  return {
    async answer(request) {
      const response = await serve(request)
      // Whether a connection is kept is between its client and who holds it.
      response.headers.delete('connection')
      return response
    },
    skillsChanged() {
      parts.tellChanges()
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

function isListening(body: unknown): boolean {
  return (body as { method?: unknown } | undefined)?.method === 'subscriptions/listen'
}

/** The same request, which also ends when we want it to. */
function endable(request: Request, end: AbortSignal): Request {
  const { url, method, headers } = request
  return new Request(url, { method, headers, signal: AbortSignal.any([request.signal, end]) })
}
