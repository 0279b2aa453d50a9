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
import { makeServer, type McpContext } from '../make-server.ts'
import { sendChanges } from '../resources/subscriptions.ts'
import { readCaller } from './caller-info.ts'
import {
  createResumableCalls,
  type CallConnection,
  type ResumableCalls,
} from './resumable-calls.ts'
import { SentEventStore, type EventBudget } from './sent-event-store.ts'

/** Clients of older protocol revisions, which initialize a session first. */
export interface McpSessions {
  handle(request: Request, facts: SessionRequest): Promise<Response>
  announceChanges(uris: readonly string[]): void
  /** Ends the sessions that have no running call, of all callers or of these. */
  drain(): void
  dropCallers(names: readonly string[]): void
  close(): Promise<void>
}

interface SessionRequest {
  body: unknown
  caller: ToolCaller
  authInfo: AuthInfo
}

interface McpSession {
  mcp: McpServer
  transport: Transport
  owner: string
  usedAt: number
  /** Unfinished requests, including notification streams. */
  open: number
  calls: number
  /** Events for clients that reconnect. */
  sent: SentEventStore
  resumable: ResumableCalls
}

/** At this limit, a new session evicts the least recently used one. */
const MAX_SESSIONS = 500
const IDLE_MS = 30 * 60_000
const EXPIRY_CHECK_MS = 60_000
/**
 * Time that a call continues after its client disconnects. Clients reconnect after a second or two.
 */
const RESUME_MS = 5000

export function createMcpSessions(parts: McpContext, onerror: (error: Error) => void): McpSessions {
  const sessions = new Map<string, McpSession>()
  const budget: EventBudget = { used: 0 }
  const drop = (id: string) => {
    const session = sessions.get(id)
    if (!sessions.delete(id) || !session) return
    session.resumable.clear()
    session.sent.clear()
    void session.mcp.close().catch(onerror)
  }
  const dropIdle = () => {
    const since = Date.now() - IDLE_MS
    for (const [id, { open, usedAt, sent }] of sessions) {
      if (open === 0 && usedAt < since) drop(id)
      else sent.expire()
    }
  }
  const timer = setInterval(dropIdle, EXPIRY_CHECK_MS).unref()
  const stateless = legacyStatelessFallback(
    ({ authInfo }) => makeServer(parts, readCaller(authInfo)),
    onerror,
  )
  const startSession = async (request: Request, facts: SessionRequest) => {
    evictOldestSession(sessions, drop)
    const session = await createSession(parts, facts, {
      budget,
      onBegin: (id) => void sessions.set(id, session),
      onEnd: drop,
    })
    return await serveRequest(session, request, facts)
  }
  return {
    async handle(request, facts) {
      const id = request.headers.get('mcp-session-id')
      if (id !== null) {
        const session = sessions.get(id)
        if (session?.owner !== facts.caller.name) throw unknownSessionError()
        return await serveRequest(session, request, facts)
      }
      if (isInitializeRequest(facts.body)) return await startSession(request, facts)
      return await stateless(request, { authInfo: facts.authInfo, parsedBody: facts.body })
    },
    announceChanges(uris) {
      for (const { mcp } of sessions.values()) void sendChanges(mcp, uris).catch(onerror)
    },
    drain() {
      clearInterval(timer)
      for (const [id, { calls }] of sessions) if (calls === 0) drop(id)
    },
    dropCallers(names) {
      for (const [id, { calls, owner }] of sessions) {
        if (calls === 0 && names.includes(owner)) drop(id)
      }
    },
    async close() {
      clearInterval(timer)
      for (const id of sessions.keys()) drop(id)
    },
  }
}

interface SessionRegistration {
  budget: EventBudget
  onBegin: (id: string) => void
  onEnd: (id: string) => void
}

// eslint-disable-next-line max-params -- the server, the request and the registration
async function createSession(
  parts: McpContext,
  { caller }: SessionRequest,
  { budget, onBegin, onEnd }: SessionRegistration,
): Promise<McpSession> {
  const sent = new SentEventStore(budget)
  const transport = new Transport({
    sessionIdGenerator: () => `${parts.options.sessionPrefix ?? ''}${randomUUID()}`,
    eventStore: sent,
    onsessioninitialized: onBegin,
    onsessionclosed: onEnd,
  })
  const mcp = await makeServer(parts, caller)
  await mcp.connect(transport)
  const resumable = createResumableCalls(parts.options.resumeMs ?? RESUME_MS)
  const owner = caller.name
  return { mcp, transport, sent, resumable, owner, usedAt: Date.now(), open: 0, calls: 0 }
}

function evictOldestSession(sessions: Map<string, McpSession>, drop: (id: string) => void): void {
  if (sessions.size < MAX_SESSIONS) return
  const quiet = [...sessions].filter(([, { open }]) => open === 0)
  const [oldest] = (quiet.length > 0 ? quiet : [...sessions]).sort(
    ([, a], [, b]) => a.usedAt - b.usedAt,
  )
  if (oldest) drop(oldest[0])
}

/** Serves a request. A client that disconnects may resume its call for `RESUME_MS`. */
async function serveRequest(
  session: McpSession,
  request: Request,
  { body, authInfo }: SessionRequest,
): Promise<Response> {
  session.usedAt = Date.now()
  const connection =
    findResumedCall(session, request) ??
    session.resumable.start(trackRequest(session, request, body))
  request.signal.addEventListener('abort', () => connection.disconnect(), { once: true })
  const response = await session.transport.handleRequest(request, { authInfo, parsedBody: body })
  return watchBody(response, connection)
}

/** Finds the call that a client resumes. Throws if events that it missed were dropped. */
function findResumedCall(
  { sent, resumable }: McpSession,
  request: Request,
): CallConnection | undefined {
  const eventId = request.method === 'GET' ? request.headers.get('last-event-id') : null
  if (!eventId) return undefined
  const stream = sent.findStream(eventId)
  if (stream === undefined) throw nothingToResumeError()
  return resumable.resume(stream)
}

/** Counts a request as open until it ends, and cancels its calls if the client abandons them. */
// eslint-disable-next-line max-params -- a request is its envelope and its body
function trackRequest(session: McpSession, { method }: Request, body: unknown) {
  const calls = method === 'POST' ? 1 : 0
  session.open += 1
  session.calls += calls
  const onComplete = () => {
    session.usedAt = Date.now()
    session.open -= 1
    session.calls -= calls
  }
  const onAbandon = () => {
    onComplete()
    for (const requestId of collectRequestIds(body)) {
      const params = { requestId, reason: 'The client disconnected' }
      session.transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
    }
  }
  return { onComplete, onAbandon }
}

function collectRequestIds(body: unknown): (string | number)[] {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body]
  return messages.flatMap((each) => {
    const { id, method } = (each ?? {}) as { id?: string | number; method?: unknown }
    return id !== undefined && typeof method === 'string' ? [id] : []
  })
}

/** The status 404 tells a client to initialize again. */
function unknownSessionError(): SkillsError {
  return new SkillsError('http/not-found', 'Unknown session', {
    hint: 'Start a new session with initialize',
  })
}

function nothingToResumeError(): SkillsError {
  return new SkillsError('rpc/invalid-request', 'The events after that id are no longer stored', {
    hint: 'Omit Last-Event-ID and repeat the calls without a response',
  })
}

/** The id of the first event that has one. Event data contains no newlines. */
const EVENT_ID = /^id: (.+)\.\d+$/m

/** Reports whether a body is sent completely or cancelled. */
function watchBody(response: Response, connection: CallConnection): Response {
  if (!response.body) {
    connection.complete()
    return response
  }
  const reader = response.body.getReader()
  let isNamed = !response.headers.get('content-type')?.startsWith('text/event-stream')
  const detectStreamId = (bytes: Uint8Array) => {
    const stream = isNamed ? undefined : EVENT_ID.exec(new TextDecoder().decode(bytes))?.[1]
    if (stream === undefined) return
    isNamed = true
    connection.setStream(stream)
  }
  let isCut = false
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (!done) {
        detectStreamId(value)
        return controller.enqueue(value)
      }
      // A read that was pending when the body was cancelled also ends here.
      if (isCut) return
      connection.complete()
      controller.close()
    },
    async cancel(reason) {
      isCut = true
      connection.disconnect()
      await reader.cancel(reason)
    },
  })
  return new Response(body, { status: response.status, headers: response.headers })
}
