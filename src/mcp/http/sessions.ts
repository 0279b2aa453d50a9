import { randomUUID } from 'node:crypto'
import {
  isInitializeRequest,
  legacyStatelessFallback,
  WebStandardStreamableHTTPServerTransport as Transport,
  type AuthInfo,
  type McpServer,
} from '@modelcontextprotocol/server'
import { SkillsError } from '../../errors.ts'
import type { ToolCaller } from '../../rpc/tool-caller.ts'
import { makeServer, type McpParts } from '../make-server.ts'
import { tellChanges } from '../resources/follow-resources.ts'
import { callerOf } from './caller-info.ts'

/** Clients of the older protocol, which say who they are once and go on from there. */
export interface Sessions {
  answer(request: Request, facts: SessionFacts): Promise<Response>
  tellChanges(uris: readonly string[]): void
  /** Ends those that wait for nothing but news. */
  drain(): void
  close(): Promise<void>
}

export interface SessionFacts {
  body: unknown
  caller: ToolCaller
  authInfo: AuthInfo
}

interface Session {
  mcp: McpServer
  transport: Transport
  owner: string
  usedAt: number
  /** Requests that are not over, streams of news among them. */
  open: number
  calls: number
}

/** The one that was used least recently makes room for another. */
const MAX_SESSIONS = 500
const IDLE_MS = 30 * 60_000
const LOOK_MS = 60_000

/** Opens a place for sessions. */
export function openSessions(parts: McpParts, onerror: (error: Error) => void): Sessions {
  const sessions = new Map<string, Session>()
  const drop = (id: string) => {
    const session = sessions.get(id)
    if (!sessions.delete(id) || !session) return
    void session.mcp.close().catch(onerror)
  }
  const dropIdle = () => {
    const since = Date.now() - IDLE_MS
    for (const [id, { open, usedAt }] of sessions) if (open === 0 && usedAt < since) drop(id)
  }
  const timer = setInterval(dropIdle, LOOK_MS).unref()
  const stateless = legacyStatelessFallback(
    ({ authInfo }) => makeServer(parts, callerOf(authInfo)),
    onerror,
  )
  const begin = async (request: Request, facts: SessionFacts) => {
    makeRoom(sessions, drop)
    const session: Session = {
      mcp: await makeServer(parts, facts.caller),
      owner: facts.caller.name,
      usedAt: Date.now(),
      open: 0,
      calls: 0,
      transport: new Transport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => void sessions.set(id, session),
        onsessionclosed: drop,
      }),
    }
    await session.mcp.connect(session.transport)
    return await serve(session, request, facts)
  }
  return {
    async answer(request, facts) {
      const id = request.headers.get('mcp-session-id')
      if (id !== null) {
        const session = sessions.get(id)
        if (session?.owner !== facts.caller.name) throw noSession()
        return await serve(session, request, facts)
      }
      if (isInitializeRequest(facts.body)) return await begin(request, facts)
      return await stateless(request, { authInfo: facts.authInfo, parsedBody: facts.body })
    },
    tellChanges(uris) {
      for (const { mcp } of sessions.values()) void tellChanges(mcp, uris).catch(onerror)
    },
    drain() {
      clearInterval(timer)
      for (const [id, { calls }] of sessions) if (calls === 0) drop(id)
    },
    async close() {
      clearInterval(timer)
      for (const id of sessions.keys()) drop(id)
    },
  }
}

function makeRoom(sessions: Map<string, Session>, drop: (id: string) => void): void {
  if (sessions.size < MAX_SESSIONS) return
  const quiet = [...sessions].filter(([, { open }]) => open === 0)
  const [oldest] = (quiet.length > 0 ? quiet : [...sessions]).sort(
    ([, a], [, b]) => a.usedAt - b.usedAt,
  )
  if (oldest) drop(oldest[0])
}

/** Who goes away without waiting for an answer cannot get it later: it is given up. */
async function serve(
  session: Session,
  request: Request,
  { body, authInfo }: SessionFacts,
): Promise<Response> {
  const isCall = request.method === 'POST'
  session.usedAt = Date.now()
  session.open += 1
  if (isCall) session.calls += 1
  let isOver = false
  const over = () => {
    if (isOver) return
    isOver = true
    session.usedAt = Date.now()
    session.open -= 1
    if (isCall) session.calls -= 1
  }
  const giveUp = () => {
    for (const requestId of isOver ? [] : idsIn(body)) {
      const params = { requestId, reason: 'The client went away' }
      session.transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
    }
    over()
  }
  request.signal.addEventListener('abort', giveUp, { once: true })
  const response = await session.transport.handleRequest(request, { authInfo, parsedBody: body })
  return whenOver(response, over, giveUp)
}

/** Notices the end of a body, and that nobody takes the rest of it. */
function whenOver(response: Response, over: () => void, giveUp: () => void): Response {
  if (!response.body) {
    over()
    return response
  }
  const reader = response.body.getReader()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (!done) return controller.enqueue(value)
      over()
      controller.close()
    },
    async cancel(reason) {
      giveUp()
      await reader.cancel(reason)
    },
  })
  return new Response(body, { status: response.status, headers: response.headers })
}

function idsIn(body: unknown): (string | number)[] {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body]
  return messages.flatMap((each) => {
    const { id, method } = (each ?? {}) as { id?: string | number; method?: unknown }
    return id !== undefined && typeof method === 'string' ? [id] : []
  })
}

/** What tells a client to begin again. */
function noSession(): SkillsError {
  return new SkillsError('http/not-found', 'There is no such session', {
    hint: 'Begin another one with initialize',
  })
}
