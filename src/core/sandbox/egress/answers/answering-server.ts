import { createServer, STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import { duplexPair, type Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { namesDestination, type NetworkDestination } from '../destination.ts'
import { findRequestRefusal, removeHopByHopHeaders } from '../http-request.ts'
import { pairHeaders } from '../masking/flat-headers.ts'
import { formatHostHeader } from '../refusals.ts'
import type { CertificateAuthority } from './certificate-authority.ts'
import type {
  RequestAnswerer,
  RequestForwarder,
  AnswerableRequest,
  AnsweredResponse,
} from './request-answerer.ts'

/** Longer bodies of requests are refused. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024

const NO_BODY = new Set([204, 205, 304])

export interface AnsweringParts {
  answerer: RequestAnswerer
  /** Issues the certificates that the run trusts. */
  authority: CertificateAuthority
  forward: RequestForwarder
  /** Counts bytes of the run; false if they exceed its limit. */
  countBytes: (bytes: number) => boolean
}

/** Serves connections of a run within this process, in place of their destinations. */
export class AnsweringServer {
  readonly #parts: AnsweringParts
  readonly #destinations = new WeakMap<Duplex, NetworkDestination>()
  readonly #server = createServer({ maxHeaderSize: 64 * 1024, requireHostHeader: false })

  constructor(parts: AnsweringParts) {
    this.#parts = parts
    this.#server.on('request', (request, response) => this.#serveSafely(request, response))
    this.#server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      response.writeContinue()
      this.#serveSafely(request, response)
    })
    this.#server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
      const protocol = request.headers.upgrade ?? 'another protocol'
      this.#refuse(socket, `a switch to ${protocol.slice(0, 40)} cannot be recorded or replayed`)
    })
    this.#server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
      this.#refuse(socket, 'a CONNECT request cannot be recorded or replayed')
    })
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
      if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
      this.#refuse(socket, `the request is not plain HTTP/1.1 (${error.code ?? error.message})`)
    })
  }

  /** Connects to the stand-in of a destination. */
  connect(destination: NetworkDestination): Duplex {
    const [client, server] = duplexPair()
    client.on('error', () => server.destroy())
    client.on('close', () => server.destroy())
    server.on('error', () => client.destroy())
    server.on('close', () => client.destroy())
    const socket = destination.scheme === 'https' ? this.#startTls(server, destination) : server
    this.#destinations.set(socket, destination)
    this.#server.emit('connection', socket)
    return client
  }

  #startTls(socket: Duplex, { host }: NetworkDestination): Duplex {
    const { authority, answerer } = this.#parts
    const secured = new TLSSocket(socket, {
      isServer: true,
      secureContext: authority.createContext(host),
      ALPNProtocols: ['http/1.1', 'http/1.0'],
    })
    let isSecure = false
    secured.once('secure', () => (isSecure = true))
    secured.on('error', (error: NodeJS.ErrnoException) => {
      if (!isSecure) answerer.onUnanswerable(`${host}: ${describeHandshakeFailure(error)}`)
      secured.destroy()
    })
    return secured
  }

  /** A fault must end the connection, not this process. */
  #serveSafely(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    this.#serve(request, response).catch((error: Error) => {
      this.#parts.answerer.onUnanswerable(error.message)
      socket.destroy()
    })
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const destination = this.#destinations.get(request.socket)
    const refusal = findRequestRefusal(request)
    const parsed = destination && !refusal ? parseRequest(request, destination) : undefined
    if (!parsed)
      return this.#refuse(
        request.socket,
        refusal?.message ?? 'the Host header names another host than the connection',
      )
    const body = await readBody(request)
    if (body === 'aborted') return
    if (body === 'too long') {
      const limit = `${MAX_BODY_BYTES / 1024 / 1024} MiB`
      return this.#refuse(request.socket, `the body of ${parsed.url} is longer than ${limit}`)
    }
    const { answerer, forward, countBytes } = this.#parts
    const answer = await answerer.answer({ ...parsed, body }, forward)
    if (!countBytes(body.length + answer.body.length)) return void request.socket.destroy()
    sendAnswer(request, response, answer)
  }

  #refuse(socket: Duplex, problem: string): void {
    this.#parts.answerer.onUnanswerable(problem)
    const body = `${JSON.stringify({ error: { message: problem } })}\n`
    const head = ['HTTP/1.1 501 Not Implemented', 'Content-Type: application/json']
    const rest = [`Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close', '', body]
    socket.on('error', () => socket.destroy())
    socket.end([...head, ...rest].join('\r\n'))
    socket.resume()
    setTimeout(() => socket.destroy(), 1000).unref()
  }
}

function describeHandshakeFailure({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ERR_SSL_NO_SUITABLE_SIGNATURE_ALGORITHM' || code?.includes('PROTOCOL') === true) {
    return 'the client offers no protocol that can be recorded or replayed, expected HTTP/1.1 over TLS 1.2 or later'
  }
  return `the TLS handshake failed: ${code ?? message}. Clients with a list of certificates of their own do not trust the recording`
}

/** Parses the head; undefined if the Host header names another destination than the connection. */
function parseRequest(
  request: IncomingMessage,
  destination: NetworkDestination,
): Omit<AnswerableRequest, 'body'> | undefined {
  const { method = 'GET', url = '', rawHeaders } = request
  const { host } = request.headers
  if (host !== undefined && !namesDestination(host, destination)) return undefined
  if (!url.startsWith('/')) return undefined
  const flat = removeHopByHopHeaders(rawHeaders)
  return {
    destination,
    method,
    url: `${destination.scheme}://${formatHostHeader(destination)}${url}`,
    headers: pairHeaders(flat),
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer | 'too long' | 'aborted'> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request.iterator({
      destroyOnReturn: false,
    }) as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MAX_BODY_BYTES) return 'too long'
      chunks.push(chunk)
    }
  } catch {
    return 'aborted'
  }
  return Buffer.concat(chunks)
}

function sendAnswer(
  { method }: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: AnsweredResponse,
): void {
  const hasBody = !NO_BODY.has(status) && method !== 'HEAD'
  response.writeHead(status, STATUS_CODES[status] ?? '', [
    ...headers.flat(),
    ...(NO_BODY.has(status) ? [] : ['Content-Length', String(body.length)]),
  ])
  response.end(hasBody ? body : undefined)
}
