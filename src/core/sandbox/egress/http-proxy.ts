import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { NetworkDestination } from './destination.ts'
import type { EgressFilter } from './egress-filter.ts'
import {
  removeHopByHopHeaders,
  parseConnectTarget,
  parseForwardTarget,
  findRequestRefusal,
} from './http-request.ts'
import type { RequestArrival, ForwardTarget } from './http-request.ts'
import {
  formatHostHeader,
  writeRawRefusal,
  sendRefusal,
  UNREADABLE_REQUEST,
  UPGRADE_REFUSED,
} from './refusals.ts'
import type { EgressTimeouts } from './tunnel.ts'

/** An allowed and connected CONNECT request. */
export interface ConnectTunnel {
  client: Duplex
  upstream: Socket
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
  #server = createServer({ maxHeaderSize: 16 * 1024, requireHostHeader: false })

  constructor(
    gate: EgressFilter,
    patience: EgressTimeouts,
    onTunnel: (tunnel: ConnectTunnel) => void,
  ) {
    this.#filter = gate
    this.#headMs = patience.headMs
    // Node resets the timeout of a connection after each request.
    this.#server.timeout = patience.idleMs
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
  acceptConnection(client: Socket, arrival: RequestArrival): void {
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
    const asked = findRequestRefusal(request) ?? parseForwardTarget(request, arrival)
    if ('reason' in asked) {
      this.#busy.set(client, 'refused')
      return sendRefusal(response, this.#filter.reportRefusal(arrival.via, asked))
    }
    const upstream = await this.#filter.connect(arrival.via, asked.destination)
    if ('reason' in upstream) return sendRefusal(response, upstream)
    if ('unreachable' in upstream) {
      const message = upstream.unreachable
      return sendRefusal(response, { reason: 'unreachable', message })
    }
    if (client.destroyed) return void upstream.destroy()
    try {
      forwardRequest({ request, response, upstream }, asked)
    } catch {
      upstream.destroy()
      sendRefusal(response, UNREADABLE_REQUEST)
    }
  }

  async #serveConnect(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    client.on('error', () => client.destroy())
    const { via } = this.#arrivalFor(client)
    const asked = via === 'proxy' ? parseConnectTarget(request) : UNREADABLE_REQUEST
    if ('reason' in asked) return writeRawRefusal(client, this.#filter.reportRefusal(via, asked))
    const upstream = await this.#filter.connect(via, asked)
    if ('reason' in upstream) return writeRawRefusal(client, upstream)
    if ('unreachable' in upstream) {
      return writeRawRefusal(client, { reason: 'unreachable', message: upstream.unreachable })
    }
    if (client.destroyed) return void upstream.destroy()
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    this.#onTunnel({ client, upstream, destination: asked, head })
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

interface ForwardedExchange {
  request: IncomingMessage
  response: ServerResponse
  upstream: Socket
}

/** Writes the request again, so that no later hop can parse it differently. */
function forwardRequest(
  { request, response, upstream }: ForwardedExchange,
  asked: ForwardTarget,
): void {
  const isChunked = request.headers['transfer-encoding'] !== undefined
  const onward = send({
    createConnection: () => upstream,
    method: request.method ?? 'GET',
    path: asked.path,
    headers: [
      'Host',
      formatHostHeader(asked.destination),
      'Connection',
      'close',
      ...removeHopByHopHeaders(request.rawHeaders),
      ...(isChunked ? ['Transfer-Encoding', 'chunked'] : []),
    ],
  })
  onward.on('response', (answer) => {
    const { statusCode = 502, statusMessage } = answer
    try {
      response.writeHead(statusCode, statusMessage, removeHopByHopHeaders(answer.rawHeaders))
    } catch {
      return void response.destroy()
    }
    answer.on('error', () => response.destroy())
    answer.pipe(response)
  })
  onward.on('upgrade', (_answer, socket) => {
    socket.destroy()
    response.destroy()
  })
  onward.on('error', (error: NodeJS.ErrnoException) => {
    const message = `${asked.destination.host} closed the connection: ${error.code ?? error.message}`
    if (response.headersSent) response.destroy()
    else sendRefusal(response, { reason: 'unreachable', message })
  })
  response.on('close', () => upstream.destroy())
  request.pipe(onward)
}
