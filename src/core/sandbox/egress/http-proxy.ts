import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex, Readable } from 'node:stream'
import type { NetworkDestination } from './destination.ts'
import type { EgressFilter } from './egress-filter.ts'
import {
  removeHopByHopHeaders,
  parseConnectTarget,
  parseForwardTarget,
  findRequestRefusal,
} from './http-request.ts'
import type { RequestArrival, ForwardTarget } from './http-request.ts'
import { createReplaceStream } from './masking/replacer.ts'
import { StandInError } from './masking/request-mask.ts'
import { TextSearch } from './masking/text-search.ts'
import {
  formatHostHeader,
  writeRawRefusal,
  sendRefusal,
  UNREADABLE_REQUEST,
  UPGRADE_REFUSED,
} from './refusals.ts'
import { readFirstMessage, sendTlsAlert, type EgressTimeouts } from './tunnel.ts'

/** An allowed and connected CONNECT request. */
export interface ConnectTunnel {
  client: Duplex
  upstream: Duplex
  destination: NetworkDestination
  /** Bytes that the client has already sent. */
  head: Buffer
}

/** HTTP proxy of one run: checks every request and writes it again for the next hop. */
export class HttpProxy {
  #filter: EgressFilter
  #headMs: number
  #onTunnel: (tunnel: ConnectTunnel) => void
  #arrivals = new WeakMap<Duplex, RequestArrival>()
  #timers = new WeakMap<Duplex, NodeJS.Timeout>()
  /** Connections with a pending request, and whether it was refused. */
  #busy = new Map<Duplex, 'forwarding' | 'refused'>()
  // Never listens; connections are passed to it by event.
  #server = Object.assign(createServer({ maxHeaderSize: 16 * 1024, requireHostHeader: false }), {
    // A client may end its side after the request. Node would abort the request then.
    httpAllowHalfOpen: true,
  })

  constructor(
    filter: EgressFilter,
    timeouts: EgressTimeouts,
    onTunnel: (tunnel: ConnectTunnel) => void,
  ) {
    this.#filter = filter
    this.#headMs = timeouts.headMs
    // Node resets the timeout of a connection after each request.
    this.#server.timeout = timeouts.idleMs
    this.#onTunnel = onTunnel
    this.#server.on('request', (request, response) => void this.#serveRequest(request, response))
    this.#server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
      if (this.#busy.has(client)) return this.#refusePipelined(client)
      this.#stopTimer(client)
      void this.#serveConnect(request, client, head)
    })
    this.#server.on('upgrade', (_request: IncomingMessage, client: Duplex) => {
      if (this.#busy.has(client)) return this.#refusePipelined(client)
      writeRawRefusal(
        client,
        this.#filter.reportRefusal(this.#arrivalFor(client).via, UPGRADE_REFUSED),
      )
    })
    this.#server.on('clientError', (error: NodeJS.ErrnoException, client) => {
      if (this.#busy.get(client) === 'refused') return
      const isOver = error.code === 'ECONNRESET' || !client.writable
      if (isOver || this.#busy.has(client)) return void client.destroy()
      this.#busy.set(client, 'refused')
      writeRawRefusal(
        client,
        this.#filter.reportRefusal(this.#arrivalFor(client).via, UNREADABLE_REQUEST),
      )
    })
  }

  /** Takes ownership of a connection. */
  acceptConnection(client: Duplex, arrival: RequestArrival): void {
    this.#arrivals.set(client, arrival)
    this.#startTimer(client)
    client.once('close', () => this.#busy.delete(client))
    this.#server.emit('connection', client)
  }

  async #serveRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const client = request.socket
    const arrival = this.#arrivalFor(client)
    if (this.#busy.has(client)) return this.#refusePipelined(client)
    this.#busy.set(client, 'forwarding')
    this.#stopTimer(client)
    response.on('close', () => {
      this.#busy.delete(client)
      this.#startTimer(client)
    })
    const target = findRequestRefusal(request) ?? parseForwardTarget(request, arrival)
    if ('reason' in target) {
      this.#busy.set(client, 'refused')
      return sendRefusal(response, this.#filter.reportRefusal(arrival.via, target))
    }
    const refusal = this.#findStandIn(request, target)
    const upstream = refusal
      ? this.#filter.reportRefusal(arrival.via, refusal, target.destination)
      : await this.#filter.connect(arrival.via, target.destination)
    if ('reason' in upstream) return sendRefusal(response, upstream)
    if ('unreachable' in upstream) {
      const message = upstream.unreachable
      return sendRefusal(response, { reason: 'unreachable', message })
    }
    if (client.destroyed) return void upstream.destroy()
    try {
      const body = this.#checkBody(request, { ...target, via: arrival.via, response })
      forwardRequest({ request, response, upstream, body }, target)
    } catch {
      upstream.destroy()
      sendRefusal(response, UNREADABLE_REQUEST)
    }
  }

  /** The value of a secret is put into https only, and so its stand-in is refused here. */
  #findStandIn({ rawHeaders }: IncomingMessage, { destination, path }: ForwardTarget) {
    const head = this.#filter
      .maskFor(destination)
      ?.unmaskHead({ path, headers: rawHeaders }, () => {})
    return head && 'reason' in head ? head : undefined
  }

  /** Ends the request when a stand-in appears in its body. */
  #checkBody(
    request: IncomingMessage,
    { destination, via, response }: ForwardTarget & Arrived,
  ): Readable {
    const mask = this.#filter.maskFor(destination)
    if (!mask) return request
    const replacements = mask.listBodyReplacements(request.headers['content-type'], false)
    const body = request.pipe(createReplaceStream(new TextSearch(replacements), mask.checkFound))
    body.on('error', (error) => {
      if (!(error instanceof StandInError)) return void response.destroy()
      sendRefusal(response, this.#filter.reportRefusal(via, error.refusal, destination))
    })
    return body
  }

  async #serveConnect(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    client.on('error', () => client.destroy())
    const { via } = this.#arrivalFor(client)
    const target = via === 'proxy' ? parseConnectTarget(request) : UNREADABLE_REQUEST
    if ('reason' in target) return writeRawRefusal(client, this.#filter.reportRefusal(via, target))
    if (this.#filter.listsOnlyHttp(target)) return await this.#serveHttpTunnel(client, target, head)
    const upstream = await this.#filter.connect(via, target)
    if ('reason' in upstream) return writeRawRefusal(client, upstream)
    if ('unreachable' in upstream) {
      return writeRawRefusal(client, { reason: 'unreachable', message: upstream.unreachable })
    }
    if (client.destroyed) return void upstream.destroy()
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    this.#onTunnel({ client, upstream, destination: target, head })
  }

  /**
   * Some clients, such as npm, use a tunnel for plain HTTP as well. Each request in it is checked
   * like one of a client without proxy support.
   */
  async #serveHttpTunnel(client: Duplex, target: NetworkDestination, head: Buffer): Promise<void> {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    const first = await readFirstMessage(client, head, this.#headMs)
    if (!first) return void client.destroy()
    if (first.isTls) {
      // The list has no https destination there, which connecting reports.
      await this.#filter.connect('proxy', target)
      return sendTlsAlert(client)
    }
    const { host: name, port } = target
    client.unshift(first.bytes)
    this.acceptConnection(client, { via: 'direct', port, name })
    client.resume()
  }

  /** Refuses pipelined requests, which would queue up in memory. */
  #refusePipelined(client: Duplex): void {
    if (this.#busy.get(client) === 'refused') return
    const { via } = this.#arrivalFor(client)
    const message = 'The next request arrived before the response to the previous one'
    this.#filter.reportRefusal(via, { reason: 'request-refused', message })
    client.destroy()
  }

  #arrivalFor(client: Duplex): RequestArrival {
    return this.#arrivals.get(client) ?? { via: 'proxy' }
  }

  /** Bounds the time of the whole request head, so that sending it byte by byte gains nothing. */
  #startTimer(client: Duplex): void {
    this.#stopTimer(client)
    if (client.destroyed) return
    this.#timers.set(client, setTimeout(() => client.destroy(), this.#headMs).unref())
  }

  #stopTimer(client: Duplex): void {
    clearTimeout(this.#timers.get(client))
  }
}

interface Arrived {
  via: RequestArrival['via']
  response: ServerResponse
}

interface ForwardedExchange {
  request: IncomingMessage
  /** The body of the request, checked. */
  body: Readable
  response: ServerResponse
  upstream: Duplex
}

/** Writes the request again, so that no later hop can parse it differently. */
function forwardRequest(
  { request, response, upstream, body }: ForwardedExchange,
  target: ForwardTarget,
): void {
  const isChunked = request.headers['transfer-encoding'] !== undefined
  const outgoing = send({
    createConnection: () => upstream,
    method: request.method ?? 'GET',
    path: target.path,
    headers: [
      'Host',
      formatHostHeader(target.destination),
      'Connection',
      'close',
      ...removeHopByHopHeaders(request.rawHeaders),
      ...(isChunked ? ['Transfer-Encoding', 'chunked'] : []),
    ],
  })
  outgoing.on('response', (incoming) => {
    const { statusCode = 502, statusMessage } = incoming
    try {
      response.writeHead(statusCode, statusMessage, removeHopByHopHeaders(incoming.rawHeaders))
    } catch {
      return void response.destroy()
    }
    incoming.on('error', () => response.destroy())
    incoming.pipe(response)
  })
  outgoing.on('upgrade', (_answer, socket) => {
    socket.destroy()
    response.destroy()
  })
  outgoing.on('error', (error: NodeJS.ErrnoException) => {
    if (response.writableEnded) return
    const message = `${target.destination.host} closed the connection: ${error.code ?? error.message}`
    if (response.headersSent) response.destroy()
    else sendRefusal(response, { reason: 'unreachable', message })
  })
  response.on('close', () => upstream.destroy())
  body.on('error', () => upstream.destroy())
  body.pipe(outgoing)
}
