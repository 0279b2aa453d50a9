import {
  Agent,
  createServer,
  request as send,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { Duplex, Readable } from 'node:stream'
import type { NetworkRefusal } from '../decision.ts'
import { namesDestination } from '../destination.ts'
import { findRequestRefusal, removeHopByHopHeaders } from '../http-request.ts'
import { formatHostHeader, sendRefusal, writeRawRefusal, UNREADABLE_REQUEST } from '../refusals.ts'
import type { EgressTimeouts } from '../tunnel.ts'
import { pairHeaders, removeHeaders } from './flat-headers.ts'
import { CodingError, maskAnswer } from './mask-answer.ts'
import type { DecryptedConnection, RelayFilter } from './relay-parts.ts'
import { relayReplaced } from './replacer.ts'
import { unmaskRequest, type UnmaskedRequest } from './request-body.ts'
import { StandInError, type RequestMask } from './request-mask.ts'
import { relayUpgrade } from './websocket-relay.ts'

/** Relays decrypted HTTP/1.1: each request is written again, so that no hop parses it differently. */
export class HttpRelay {
  readonly #filter: RelayFilter
  readonly #connections = new WeakMap<Duplex, DecryptedConnection & { agent: Agent }>()
  /** Connections with a pending request. */
  readonly #busy = new WeakSet<Duplex>()
  readonly #server = Object.assign(
    createServer({ maxHeaderSize: 64 * 1024, requireHostHeader: false }),
    // A client may end its side after the request.
    { httpAllowHalfOpen: true },
  )

  constructor(filter: RelayFilter, { headMs, idleMs }: EgressTimeouts) {
    this.#filter = filter
    this.#server.headersTimeout = headMs
    this.#server.requestTimeout = 0
    this.#server.timeout = idleMs
    this.#server.on('request', (request, response) => void this.#serve(request, response))
    this.#server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      response.writeContinue()
      void this.#serve(request, response)
    })
    this.#server.on('connect', (_request: IncomingMessage, client: Duplex) =>
      writeRawRefusal(client, UNREADABLE_REQUEST),
    )
    this.#server.on('upgrade', (request: IncomingMessage, client: Duplex, first: Buffer) =>
      this.#serveUpgrade(request, client, first),
    )
    this.#server.on('clientError', (_error: Error, client: Duplex) => {
      if (client.writable) writeRawRefusal(client, UNREADABLE_REQUEST)
      else client.destroy()
    })
  }

  /** Takes ownership of both ends. */
  accept(connection: DecryptedConnection): void {
    const agent = openAgent(connection)
    this.#connections.set(connection.client, { ...connection, agent })
    const { client, upstream } = connection
    client.once('close', () => agent.destroy())
    // A pending answer is passed on first.
    upstream.once('close', () => void (this.#busy.has(client) || client.end()))
    this.#server.emit('connection', connection.client)
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const connection = this.#connections.get(request.socket)
    if (!connection || connection.upstream.destroyed) return void request.socket.destroy()
    const { client, via, destination } = connection
    if (this.#busy.has(client)) return this.#refusePipelined(connection)
    this.#busy.add(client)
    response.on('close', () => {
      this.#busy.delete(client)
      if (connection.upstream.destroyed) client.end()
    })
    const refuse = (refusal: NetworkRefusal) =>
      sendRefusal(response, this.#filter.reportRefusal(via, refusal, destination))
    const refusal = findRequestRefusal(request) ?? findTargetRefusal(request, connection)
    if (refusal) return refuse(refusal)
    try {
      const unmasked = await unmaskRequest(
        describeRequest(request),
        connection.mask,
        connection.onUnplaced,
      )
      if ('reason' in unmasked) return refuse(unmasked)
      this.#forward(request, response, unmasked)
    } catch (error) {
      if (error instanceof StandInError) return refuse(error.refusal)
      refuse({
        reason: 'request-refused',
        message: `The request was refused: ${(error as Error).message}`,
      })
    }
  }

  #forward(request: IncomingMessage, response: ServerResponse, unmasked: UnmaskedRequest): void {
    const connection = this.#connections.get(request.socket) as DecryptedConnection & {
      agent: Agent
    }
    const { destination, via } = connection
    this.#filter.countBytes(measureHead([unmasked.path, ...unmasked.headers]))
    const outgoing = send({
      agent: connection.agent,
      method: request.method ?? 'GET',
      path: unmasked.path,
      headers: ['Host', formatHostHeader(destination), ...frameHeaders(unmasked)],
    })
    const fail = (problem: string) => {
      if (response.writableEnded) return
      const message = `${destination.host}: ${problem}`
      if (response.headersSent) response.destroy()
      else sendRefusal(response, { reason: 'unreachable', message })
    }
    outgoing.on('response', (incoming) => this.#answer(incoming, response, connection, fail))
    outgoing.on('upgrade', (_answer, socket) => {
      socket.destroy()
      response.destroy()
    })
    outgoing.on('error', (error) => fail(`the connection was closed: ${error.message}`))
    response.on('close', () => {
      if (!response.writableFinished) outgoing.destroy()
    })
    this.#sendBody(outgoing, unmasked.body, (error) => {
      outgoing.destroy()
      if (!(error instanceof StandInError)) return
      const refusal = this.#filter.reportRefusal(via, error.refusal, destination)
      sendRefusal(response, refusal)
    })
  }

  #sendBody(
    outgoing: ClientRequest,
    body: Readable | Buffer | undefined,
    onError: (error: Error) => void,
  ): void {
    if (body === undefined || Buffer.isBuffer(body)) {
      this.#filter.countBytes(body?.length ?? 0)
      return void outgoing.end(body)
    }
    body.on('data', (chunk: Buffer) => this.#filter.countBytes(chunk.length))
    body.on('error', onError)
    body.pipe(outgoing)
  }

  // eslint-disable-next-line max-params -- both messages, their connection and its failure
  #answer(
    incoming: IncomingMessage,
    response: ServerResponse,
    { mask, client }: DecryptedConnection,
    fail: (problem: string) => void,
  ): void {
    const count = (bytes: number) => this.#filter.countBytes(bytes)
    incoming.on('data', (chunk: Buffer) => count(chunk.length))
    const flat = removeHopByHopHeaders(incoming.rawHeaders)
    const [phrase] = mask.maskHeaders([incoming.statusMessage ?? ''])
    count(measureHead(incoming.rawHeaders))
    try {
      const hasBody = response.req.method !== 'HEAD' && incoming.statusCode !== 304
      const { headers, body } = hasBody
        ? maskAnswer({ headers: flat, body: incoming }, mask, count)
        : { headers: mask.maskHeaders(flat), body: incoming }
      if (incoming.headers.connection?.toLowerCase() === 'close')
        headers.push('Connection', 'close')
      response.writeHead(incoming.statusCode ?? 502, phrase, headers)
      body.on('error', () => response.destroy())
      body.on('close', () => {
        if (!body.readableEnded) response.destroy()
      })
      incoming.on('end', () => passTrailers(incoming, response, mask))
      relayReplaced(body, response, mask.answerSearch, client)
      // A stream of events waits long for its first one.
      response.flushHeaders()
    } catch (error) {
      incoming.destroy()
      fail(error instanceof CodingError ? error.message : 'its answer cannot be passed on')
    }
  }

  #serveUpgrade(request: IncomingMessage, client: Duplex, first: Buffer): void {
    const connection = this.#connections.get(client)
    if (!connection) return void client.destroy()
    if (this.#busy.has(client)) return this.#refusePipelined(connection)
    const refusal = findTargetRefusal(request, connection)
    if (refusal) {
      return writeRawRefusal(
        client,
        this.#filter.reportRefusal(connection.via, refusal, connection.destination),
      )
    }
    relayUpgrade(this.#filter, connection, { request, client, first })
  }

  /** Refuses pipelined requests, which would queue up in memory. */
  #refusePipelined({ client, via, destination }: DecryptedConnection): void {
    if (client.destroyed) return
    const message = 'The next request arrived before the response to the previous one'
    this.#filter.reportRefusal(via, { reason: 'request-refused', message }, destination)
    client.destroy()
  }
}

/** All requests of a connection take the one connection to its destination. */
function openAgent({ upstream }: DecryptedConnection): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, maxFreeSockets: 1 })
  Object.assign(agent, { createConnection: () => upstream })
  return agent
}

/** Passes on the headers after the body of an answer. */
function passTrailers({ rawTrailers }: IncomingMessage, to: ServerResponse, mask: RequestMask) {
  const kept = removeHeaders(removeHopByHopHeaders(rawTrailers), ['content-length'])
  try {
    to.addTrailers(pairHeaders(mask.maskHeaders(kept)) as [string, string][])
  } catch {
    to.destroy()
  }
}

/** The Host header must name the destination of the connection. */
function findTargetRefusal(
  { url = '', headersDistinct }: IncomingMessage,
  { destination }: DecryptedConnection,
): NetworkRefusal | undefined {
  const [host = '', ...others] = headersDistinct['host'] ?? []
  if (others.length > 0 || !namesDestination(host, destination)) {
    const message = `The Host header names another host than ${destination.host}`
    return { reason: 'name-mismatch', message }
  }
  return url.startsWith('/') || url === '*' ? undefined : UNREADABLE_REQUEST
}

function describeRequest(request: IncomingMessage) {
  const { method = 'GET', url = '/', headers } = request
  const length =
    headers['content-length'] === undefined ? undefined : Number(headers['content-length'])
  return {
    method,
    path: url,
    headers: askForNoCoding(removeHopByHopHeaders(request.rawHeaders)),
    fields: headers,
    body: request,
    length,
    hasBody: (length ?? 0) > 0 || headers['transfer-encoding'] !== undefined,
  }
}

/** Values in compressed answers would not be found. */
export function askForNoCoding(headers: readonly string[]): string[] {
  const kept = removeHeaders(headers, ['accept-encoding', 'content-length'])
  return [...kept, 'Accept-Encoding', 'identity']
}

/** Bytes of a head, about as it is written. */
export function measureHead(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length + 2, 0)
}

function frameHeaders({ headers, body, length }: UnmaskedRequest): string[] {
  if (body === undefined && length === undefined) return [...headers]
  return length === undefined
    ? [...headers, 'Transfer-Encoding', 'chunked']
    : [...headers, 'Content-Length', String(length)]
}
