import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { toSkillsError } from '../../errors.ts'
import type { CachedCall } from '../../rpc/fast-path/cached-answers.ts'
import type { RpcReply } from '../../rpc/rpc.ts'
import { authenticate } from '../auth/authenticate.ts'
import type { Caller } from '../auth/caller.ts'
import { checkHost, checkOrigin } from '../auth/host-check.ts'
import { countAnswer } from '../telemetry/record-request.ts'
import type { RequestFacts } from '../rpc/call-facts.ts'
import { admitCachedCall, createCallHooks } from '../rpc/call-hooks.ts'
import { JSON_HEADERS, resolveHttpStatus } from '../rpc/rpc-answer.ts'
import type { ServerContext } from '../server-context.ts'

type HttpListener = (incoming: IncomingMessage, outgoing: ServerResponse) => void

/** Largest body that arrives in one packet with its headers. */
const MAX_BYTES = 16 * 1024

/**
 * Answers the most frequent request, a plain POST /rpc with a small body, without Hono's request
 * and response objects, which cost more than a listing. Passes every other request, and every
 * request that must be rejected before its body is read, unchanged to `generalWay`.
 *
 * General way: `createApp` in server/http/app.ts.
 * Differential test: test/server/fast-path/differential.test.ts
 */
export function createRpcFastPath(services: ServerContext, generalWay: HttpListener): HttpListener {
  const most = Math.min(MAX_BYTES, services.limits.bodyBytes)
  const afterReading = createReadBatcher()
  return (incoming, outgoing) => {
    const size = readPlainSize(incoming, most)
    const caller = size === undefined ? undefined : resolveCaller(services, incoming)
    if (!caller) return generalWay(incoming, outgoing)
    // By then Node.js has extracted the body from the packet with the headers.
    process.nextTick(() => {
      if (incoming.readableLength !== size) return generalWay(incoming, outgoing)
      const bytes = incoming.read() as Buffer
      if (isUtf8(bytes)) {
        const body = bytes.toString('utf8')
        return afterReading(() => dispatchBody(services, caller, { incoming, outgoing, body }))
      }
      incoming.unshift(bytes)
      generalWay(incoming, outgoing)
    })
  }
}

/**
 * Runs work after all requests of this turn of the event loop were read. Consecutive writes cost
 * the kernel less than writes that alternate with reads.
 */
function createReadBatcher(): (work: () => void) => void {
  let waiting: (() => void)[] = []
  const workAll = () => {
    const all = waiting
    waiting = []
    for (const work of all) work()
  }
  return (work) => {
    if (waiting.push(work) === 1) setImmediate(workAll)
  }
}

/** Returns the body size of a request that the fast path supports; undefined for any other. */
function readPlainSize(incoming: IncomingMessage, most: number): number | undefined {
  const { method, url, headers, rawHeaders } = incoming
  if (method !== 'POST' || url !== '/rpc' || headers['content-type'] !== 'application/json') return
  if (headers['content-encoding'] !== undefined || headers['sec-fetch-site'] !== undefined) return
  if (headers.origin !== undefined || /event-stream/i.test(headers.accept ?? '')) return
  // Node.js keeps the first value of a repeated header, but the general path reads all.
  if (rawHeaders.length !== 2 * Object.keys(headers).length) return
  const size = Number(headers['content-length'])
  return size > 0 && size <= most ? size : undefined
}

/** Returns undefined for a request that must be rejected. */
function resolveCaller(services: ServerContext, { headers }: IncomingMessage): Caller | undefined {
  try {
    checkHost(headers.host, services.trust)
    checkOrigin({ host: headers.host, origin: undefined, site: undefined }, services.trust)
    return authenticate(services, '/rpc', headers.authorization)
  } catch {
    return undefined
  }
}

interface HttpExchange {
  incoming: IncomingMessage
  body: string
  outgoing: ServerResponse
}

function dispatchBody(
  services: ServerContext,
  caller: Caller,
  { incoming, outgoing, body }: HttpExchange,
): void {
  // Shared by all runs of a batch.
  let gone: AbortSignal | undefined
  const request: RequestFacts = {
    caller,
    signal: () => (gone ??= createDisconnectSignal(outgoing)),
    traceparent: incoming.headers['traceparent'] as string | undefined,
  }
  const kept = services.rpc.findCached(body)
  if (kept) answerCached(services, request, { kept, outgoing })
  else void answerUncached(services, request, { body, outgoing })
}

/** Sends a cached response synchronously. */
function answerCached(
  services: ServerContext,
  request: RequestFacts,
  { kept, outgoing }: { kept: CachedCall; outgoing: ServerResponse },
): void {
  const { start, end } = kept
  try {
    admitCachedCall(services, request, kept)
  } catch (thrown) {
    const text = services.rpc.refuse(toSkillsError(thrown), kept.id)
    return sendReply(services, outgoing, { text, refused: undefined })
  }
  countAnswer(services, 200)
  if (outgoing.destroyed) return
  const size = Buffer.byteLength(start) + end.length
  // The first piece is sent with the headers; the second one is not copied.
  outgoing.cork()
  outgoing.writeHead(200, { ...JSON_HEADERS, 'Content-Length': size }).write(start)
  outgoing.end(end)
}

async function answerUncached(
  services: ServerContext,
  request: RequestFacts,
  { body, outgoing }: { body: string; outgoing: ServerResponse },
): Promise<void> {
  let reply: RpcReply
  try {
    reply = await services.rpc.handle(body, createCallHooks(services, request))
  } catch (thrown) {
    const error = toSkillsError(thrown)
    reply = { text: services.rpc.refuse(error), refused: error.code }
  }
  sendReply(services, outgoing, reply)
}

function sendReply(services: ServerContext, outgoing: ServerResponse, reply: RpcReply): void {
  // The client disconnected in the meantime.
  if (outgoing.destroyed) return
  if (reply.text === undefined) {
    countAnswer(services, 204)
    return void outgoing.writeHead(204).end()
  }
  const status = resolveHttpStatus(reply)
  countAnswer(services, status)
  const size = typeof reply.text === 'string' ? Buffer.byteLength(reply.text) : reply.text.length
  outgoing.writeHead(status, { ...JSON_HEADERS, 'Content-Length': size }).end(reply.text)
}

/** Aborted when the client disconnects before the response is sent. */
function createDisconnectSignal(outgoing: ServerResponse): AbortSignal {
  const gone = new AbortController()
  if (outgoing.destroyed) gone.abort()
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) gone.abort()
  })
  return gone.signal
}
