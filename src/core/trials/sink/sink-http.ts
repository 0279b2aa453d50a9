import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { createAnswer, type ExecutionToken } from './plausible-answer.ts'
import type { ReceivedMessage, SinkConnection } from './received-message.ts'

/** Bytes of a body that are searched; the rest is discarded. */
const MAX_BODY = 4 * 1024 * 1024
const MAX_HEAD = 64 * 1024
/** For the head of a request. The trial itself ends earlier. */
const HEAD_MS = 10_000

/** git sends the password of a URL only when it is asked for one. */
const GIT_REQUEST = /\/info\/refs\?service=git-/

interface SinkHttpOptions {
  token: ExecutionToken
  answersWithScripts: boolean
  onMessage(message: ReceivedMessage): void
  /** Called with the stream inside of a CONNECT tunnel. */
  onTunnel(stream: Duplex, connection: SinkConnection): void
}

/** Answers the HTTP requests of a trial: as a proxy, and as every host. */
export class SinkHttp {
  readonly #options: SinkHttpOptions
  readonly #connections = new WeakMap<Duplex, SinkConnection>()
  // Never listens: connections are passed to it.
  readonly #server = createServer({ maxHeaderSize: MAX_HEAD, requireHostHeader: false })

  constructor(options: SinkHttpOptions) {
    this.#options = options
    this.#server.headersTimeout = HEAD_MS
    this.#server.on('request', (request, response) => {
      this.#serve(request, response).catch(() => request.socket.destroy())
    })
    this.#server.on('connect', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
      this.#openTunnel(request, stream, head)
    })
    this.#server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
      this.#report(request, head)
      stream.end('HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\n\r\n')
    })
    this.#server.on('clientError', (error: Error & { rawPacket?: Buffer }, stream: Duplex) => {
      this.#reportUnreadable(error.rawPacket, stream)
      stream.destroy()
    })
  }

  /** Takes ownership of a stream whose first bytes look like a request. */
  accept(stream: Duplex, connection: SinkConnection): void {
    this.#connections.set(stream, connection)
    this.#server.emit('connection', stream)
    stream.resume()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request)
    this.#report(request, body)
    const { method = 'GET', url = '/', headers } = request
    if (GIT_REQUEST.test(url) && headers.authorization === undefined) {
      return void response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end()
    }
    const { token, answersWithScripts } = this.#options
    const answer = createAnswer(
      {
        method,
        path: url.replace(/^https?:\/\/[^/]*/i, ''),
        accept: headers.accept ?? '',
        userAgent: headers['user-agent'] ?? '',
      },
      token,
      answersWithScripts,
    )
    response.writeHead(200, {
      'Content-Type': answer.type,
      'Content-Length': Buffer.byteLength(answer.body),
    })
    response.end(method === 'HEAD' ? undefined : answer.body)
  }

  #openTunnel(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    const connection = this.#connections.get(request.socket)
    const { host, port } = parseAuthority(request.url ?? '', 443)
    if (!connection) return void stream.destroy()
    this.#report(request, Buffer.alloc(0))
    stream.on('error', () => stream.destroy())
    stream.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (head.length > 0) stream.unshift(head)
    this.#options.onTunnel(stream, {
      hosts: [host],
      port,
      isEncrypted: connection.isEncrypted,
      depth: connection.depth + 1,
    })
  }

  #report(request: IncomingMessage, body: Buffer): void {
    const connection = this.#connections.get(request.socket)
    if (!connection) return
    const { method = '', url = '', rawHeaders } = request
    const lines = rawHeaders.flatMap((name, at) =>
      at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1] ?? ''}`] : [],
    )
    const { hosts, port } = resolveDestination(request, connection)
    const scheme = connection.isEncrypted ? 'https' : 'http'
    const target =
      /^\w+:\/\//.test(url) || method === 'CONNECT' ? url : `${scheme}://${hosts[0]}${url}`
    this.#options.onMessage({
      protocol: scheme,
      hosts,
      port,
      summary: `${method} ${target}`,
      bytes: Buffer.concat([
        Buffer.from(`${method} ${url}\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1'),
        body,
      ]),
    })
  }

  #reportUnreadable(bytes: Buffer | undefined, stream: Duplex): void {
    const connection = this.#connections.get(stream)
    if (!connection || !bytes || bytes.length === 0) return
    const { hosts, port, isEncrypted } = connection
    this.#options.onMessage({
      protocol: isEncrypted ? 'https' : 'http',
      hosts,
      port,
      summary: 'a malformed request',
      bytes,
    })
  }
}

/** Every host that a request names: a client may name another one in its header than it connects to. */
function resolveDestination(
  { url = '', headers, method }: IncomingMessage,
  { hosts, port }: SinkConnection,
): { hosts: string[]; port: number } {
  const absolute = /^http:\/\/([^/?#]*)/i.exec(url)?.[1]
  const authority = method === 'CONNECT' ? url : absolute
  const target = authority === undefined ? undefined : parseAuthority(authority, 80)
  const named = headers.host === undefined ? [] : [parseAuthority(headers.host, 80).host]
  // The proxy itself is not a destination.
  const own = target ? [target.host] : hosts
  return { hosts: [...new Set([...own, ...named])], port: target?.port ?? port }
}

function parseAuthority(authority: string, defaultPort: number): { host: string; port: number } {
  const [, host = authority, port] =
    /^(.*?)(?::(\d{1,5}))?$/.exec(authority.replace(/^.*@/, '')) ?? []
  return { host: host.toLowerCase(), port: port === undefined ? defaultPort : Number(port) }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      if (size < MAX_BODY) chunks.push(chunk)
      size += chunk.length
    }
  } catch {
    // The bytes of an aborted request were sent as well.
  }
  return Buffer.concat(chunks).subarray(0, MAX_BODY)
}
