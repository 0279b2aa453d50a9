import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Destination } from './destination.ts'
import type { Gate } from './gate.ts'
import { passedHeaders, readConnect, readRequest, whyNotPlain } from './http-request.ts'
import type { Arrival, Forwarded } from './http-request.ts'
import { headOf, refuseRaw, refuseResponse, UNREADABLE, UPGRADE } from './refusals.ts'
import type { Patience } from './tunnel.ts'

/** A CONNECT that the list allows, connected. */
export interface Tunnel {
  client: Duplex
  upstream: Socket
  destination: Destination
  /** What the client sent already. */
  head: Buffer
}

/** Reads HTTP from connections of one run; every request is decided about, and written anew. */
export class HttpDoor {
  #gate: Gate
  #headMs: number
  #onTunnel: (tunnel: Tunnel) => void
  #arrivals = new WeakMap<Duplex, Arrival>()
  #timers = new WeakMap<Duplex, NodeJS.Timeout>()
  /** Connections with a request under way, and whether it was refused. */
  #busy = new Map<Duplex, 'forwarding' | 'refused'>()
  // Never listens itself: connections are handed to it.
  #server = createServer({ maxHeaderSize: 16 * 1024, requireHostHeader: false })

  constructor(gate: Gate, patience: Patience, onTunnel: (tunnel: Tunnel) => void) {
    this.#gate = gate
    this.#headMs = patience.headMs
    // Node sets a connection's own time limit anew after each request.
    this.#server.timeout = patience.idleMs
    this.#onTunnel = onTunnel
    this.#server.on('request', (request, response) => void this.#serve(request, response))
    this.#server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
      if (this.#busy.has(client)) return this.#refuseEarly(client)
      this.#stopTimer(client)
      void this.#connect(request, client, head)
    })
    this.#server.on('upgrade', (_request: IncomingMessage, client: Duplex) => {
      if (this.#busy.has(client)) return this.#refuseEarly(client)
      refuseRaw(client, this.#gate.refuse(this.#arrival(client).via, UPGRADE))
    })
    this.#server.on('clientError', (error: NodeJS.ErrnoException, client) => {
      if (this.#busy.get(client) === 'refused') return
      const isOver = error.code === 'ECONNRESET' || !client.writable
      if (isOver || this.#busy.has(client)) return void client.destroy()
      this.#busy.set(client, 'refused')
      refuseRaw(client, this.#gate.refuse(this.#arrival(client).via, UNREADABLE))
    })
  }

  /** Takes over a connection. */
  take(client: Socket, arrival: Arrival): void {
    this.#arrivals.set(client, arrival)
    this.#startTimer(client)
    client.once('close', () => this.#busy.delete(client))
    this.#server.emit('connection', client)
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const client = request.socket
    const arrival = this.#arrival(client)
    if (this.#busy.has(client)) return this.#refuseEarly(client)
    this.#busy.set(client, 'forwarding')
    this.#stopTimer(client)
    response.on('close', () => {
      this.#busy.delete(client)
      this.#startTimer(client)
    })
    const asked = whyNotPlain(request) ?? readRequest(request, arrival)
    if ('reason' in asked) {
      this.#busy.set(client, 'refused')
      return refuseResponse(response, this.#gate.refuse(arrival.via, asked))
    }
    const upstream = await this.#gate.connect(arrival.via, asked.destination)
    if ('reason' in upstream) return refuseResponse(response, upstream)
    if ('unreachable' in upstream) {
      const message = upstream.unreachable
      return refuseResponse(response, { reason: 'unreachable', message })
    }
    if (client.destroyed) return void upstream.destroy()
    try {
      forward({ request, response, upstream }, asked)
    } catch {
      upstream.destroy()
      refuseResponse(response, UNREADABLE)
    }
  }

  async #connect(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    client.on('error', () => client.destroy())
    const { via } = this.#arrival(client)
    const asked = via === 'proxy' ? readConnect(request) : UNREADABLE
    if ('reason' in asked) return refuseRaw(client, this.#gate.refuse(via, asked))
    const upstream = await this.#gate.connect(via, asked)
    if ('reason' in upstream) return refuseRaw(client, upstream)
    if ('unreachable' in upstream) {
      return refuseRaw(client, { reason: 'unreachable', message: upstream.unreachable })
    }
    if (client.destroyed) return void upstream.destroy()
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    this.#onTunnel({ client, upstream, destination: asked, head })
  }

  /** Requests that do not wait for their turn would pile up here. */
  #refuseEarly(client: Duplex): void {
    if (this.#busy.get(client) === 'refused') return
    const { via } = this.#arrival(client)
    const message = 'The next request came before the answer to the last one'
    this.#gate.refuse(via, { reason: 'request-refused', message })
    client.destroy()
  }

  #arrival(client: Duplex): Arrival {
    return this.#arrivals.get(client) ?? { via: 'proxy' }
  }

  /** Whoever sends a head byte by byte has no more time than others. */
  #startTimer(client: Duplex): void {
    this.#stopTimer(client)
    if (client.destroyed) return
    this.#timers.set(client, setTimeout(() => client.destroy(), this.#headMs).unref())
  }

  #stopTimer(client: Duplex): void {
    clearTimeout(this.#timers.get(client))
  }
}

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  upstream: Socket
}

/** Writes the request anew, so that nobody behind can read it differently. */
function forward({ request, response, upstream }: Exchange, asked: Forwarded): void {
  const isChunked = request.headers['transfer-encoding'] !== undefined
  const onward = send({
    createConnection: () => upstream,
    method: request.method ?? 'GET',
    path: asked.path,
    headers: [
      'Host',
      headOf(asked.destination),
      'Connection',
      'close',
      ...passedHeaders(request.rawHeaders),
      ...(isChunked ? ['Transfer-Encoding', 'chunked'] : []),
    ],
  })
  onward.on('response', (answer) => {
    const { statusCode = 502, statusMessage } = answer
    try {
      response.writeHead(statusCode, statusMessage, passedHeaders(answer.rawHeaders))
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
    const message = `${asked.destination.host} broke off: ${error.code ?? error.message}`
    if (response.headersSent) response.destroy()
    else refuseResponse(response, { reason: 'unreachable', message })
  })
  response.on('close', () => upstream.destroy())
  request.pipe(onward)
}
