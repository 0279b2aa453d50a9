import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { toSkillsError } from '../../errors.ts'
import type { CachedCall } from '../../rpc/fast-path/cached-answers.ts'
import type { RpcReply } from '../../rpc/rpc.ts'
import { authenticate } from '../auth/authenticate.ts'
import type { Caller } from '../auth/caller.ts'
import { checkHost, checkOrigin } from '../auth/host-check.ts'
import { readRequestSource } from '../auth/request-source.ts'
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
 * General path: `createApp` in server/http/app.ts.
 * Differential test: test/server/fast-path/differential.test.ts
 */
export function createRpcFastPath(context: ServerContext, generalWay: HttpListener): HttpListener {
  const maxSize = Math.min(MAX_BYTES, context.limits.bodyBytes)
  const afterReading = createReadBatcher()
  return (incoming, outgoing) => {
    const size = readPlainSize(incoming, maxSize)
    const caller = size === undefined ? undefined : resolveCaller(context, incoming)
    if (!caller || context.rateLimiter.isHeldBack(caller)) return generalWay(incoming, outgoing)
    // By then Node.js has extracted the body from the packet with the headers.
    process.nextTick(() => {
      if (incoming.readableLength !== size) return generalWay(incoming, outgoing)
      const bytes = incoming.read() as Buffer
      if (isUtf8(bytes)) {
        const body = bytes.toString('utf8')
        return afterReading(() => dispatchBody(context, caller, { incoming, outgoing, body }))
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
function readPlainSize(incoming: IncomingMessage, maxSize: number): number | undefined {
  const { method, url, headers, rawHeaders } = incoming
  if (method !== 'POST' || url !== '/rpc' || headers['content-type'] !== 'application/json') return
  if (headers['content-encoding'] !== undefined || headers['sec-fetch-site'] !== undefined) return
  if (headers.origin !== undefined || /event-stream/i.test(headers.accept ?? '')) return
  // Node.js keeps the first value of a repeated header, but the general path reads all.
  if (rawHeaders.length !== 2 * Object.keys(headers).length) return
  const size = Number(headers['content-length'])
  return size > 0 && size <= maxSize ? size : undefined
}

/** Returns undefined for a request that must be rejected. */
function resolveCaller(context: ServerContext, incoming: IncomingMessage): Caller | undefined {
  const { host } = incoming.headers
  try {
    checkHost(host, context.trust)
    checkOrigin({ host, origin: undefined, site: undefined }, context.trust)
    return authenticate(context, '/rpc', readRequestSource(incoming))
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
  context: ServerContext,
  caller: Caller,
  { incoming, outgoing, body }: HttpExchange,
): void {
  // Shared by all runs of a batch.
  let disconnectSignal: AbortSignal | undefined
  const request: RequestFacts = {
    caller,
    signal: () => (disconnectSignal ??= createDisconnectSignal(outgoing)),
    traceparent: incoming.headers['traceparent'] as string | undefined,
  }
  const cachedCall = context.rpc.findCached(body)
  if (cachedCall) answerCached(context, request, { cachedCall, outgoing })
  else void answerUncached(context, request, { body, outgoing })
}

/** Sends a cached response synchronously. */
function answerCached(
  context: ServerContext,
  request: RequestFacts,
  { cachedCall, outgoing }: { cachedCall: CachedCall; outgoing: ServerResponse },
): void {
  const { start, end } = cachedCall
  try {
    admitCachedCall(context, request, cachedCall)
  } catch (thrown) {
    const text = context.rpc.refuse(toSkillsError(thrown), cachedCall.id)
    return sendReply(context, outgoing, { text, refused: undefined })
  }
  countAnswer(context, 200)
  if (outgoing.destroyed) return
  const size = Buffer.byteLength(start) + end.length
  // The first piece is sent with the headers; the second one is not copied.
  outgoing.cork()
  outgoing.writeHead(200, { ...JSON_HEADERS, 'Content-Length': size }).write(start)
  outgoing.end(end)
}

async function answerUncached(
  context: ServerContext,
  request: RequestFacts,
  { body, outgoing }: { body: string; outgoing: ServerResponse },
): Promise<void> {
  let reply: RpcReply
  try {
    reply = await context.rpc.handle(body, createCallHooks(context, request))
  } catch (thrown) {
    const error = toSkillsError(thrown)
    reply = { text: context.rpc.refuse(error), refused: error.code }
  }
  sendReply(context, outgoing, reply)
}

function sendReply(context: ServerContext, outgoing: ServerResponse, reply: RpcReply): void {
  // The client disconnected in the meantime.
  if (outgoing.destroyed) return
  if (reply.text === undefined) {
    countAnswer(context, 204)
    return void outgoing.writeHead(204).end()
  }
  const status = resolveHttpStatus(reply)
  countAnswer(context, status)
  const size = typeof reply.text === 'string' ? Buffer.byteLength(reply.text) : reply.text.length
  outgoing.writeHead(status, { ...JSON_HEADERS, 'Content-Length': size }).end(reply.text)
}

/** Aborted when the client disconnects before the response is sent. */
function createDisconnectSignal(outgoing: ServerResponse): AbortSignal {
  const controller = new AbortController()
  if (outgoing.destroyed) controller.abort()
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) controller.abort()
  })
  return controller.signal
}
