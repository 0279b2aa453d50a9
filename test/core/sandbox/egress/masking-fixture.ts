import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { onTestFinished } from 'vitest'
import { createMaskedNetwork } from '../../../../src/core/sandbox/egress/masking/masked-network.ts'
import { maskSecrets } from '../../../../src/core/runs/network/masked-secrets.ts'
import type { ByteLimit } from '../../../../src/core/sandbox/egress/byte-meter.ts'
import type { EgressTimeouts } from '../../../../src/core/sandbox/egress/tunnel.ts'
import { CERTIFICATE, KEY } from './certificate.ts'
import { openClient, openEgress } from './egress-fixture.ts'

export const API = 'api.example.test'
export const OTHER = 'other.example.test'
export const VALUE = 'sk-live9Q/zT4+x8Wm2Lq7Rb5Vn1Kc3Jd6'

/** A request as the server got it. */
export interface ServedRequest {
  version: string
  method: string
  url: string
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: string
}

type Answerer = (request: ServedRequest, response: Http2ServerResponse) => void

interface MaskedOptions {
  answer?: Answerer
  value?: string
  scope?: string
  certificates?: string
  patience?: Partial<EgressTimeouts>
  limit?: ByteLimit
}

/** Starts an HTTPS server of both versions of HTTP, and the network of a run that masks one secret. */
export async function openMasked(
  places: readonly string[],
  {
    answer = echo,
    value = VALUE,
    scope = 'run',
    certificates = CERTIFICATE,
    ...more
  }: MaskedOptions = {},
) {
  const requests: ServedRequest[] = []
  const server = createSecureServer({ key: KEY, cert: CERTIFICATE, allowHTTP1: true })
  server.on('request', (request: Http2ServerRequest, response: Http2ServerResponse) => {
    const one = {
      version: request.httpVersion,
      method: request.method,
      url: request.url,
      headers: request.headers,
      body: '',
    }
    request.on('data', (chunk: Buffer) => (one.body += chunk.toString()))
    request.on('end', () => {
      requests.push(one)
      answer(one, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const secrets = maskSecrets(
    new Map([['CRM_API_KEY', value]]),
    new Map([['CRM_API_KEY', { hosts: [`https://${API}:${port}`], in: places }]]),
    scope,
  )
  const masking = createMaskedNetwork(secrets.masked, certificates)
  const opened = await openEgress(
    [API, OTHER].map((host) => `https://${host}:${port}`),
    [`127.0.0.1:${port}`],
    { masking, ...more },
  )
  const open = async (host = API, protocols = ['http/1.1'], options: ConnectionOptions = {}) => {
    const { socket, send } = await openClient(opened.proxy)
    await send(`CONNECT ${host}:${port} HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\n`, '\r\n\r\n')
    socket.removeAllListeners('data')
    // A client of the run trusts only the authority of the run, besides the usual ones.
    return connectTls({
      socket,
      servername: host,
      ca: [masking.authority, CERTIFICATE],
      ALPNProtocols: protocols,
      ...options,
    })
  }
  const send = async (bytes: string, host = API) => await sendOver(await open(host), bytes)
  return {
    ...opened,
    port,
    requests,
    server,
    standIn: secrets.variables['CRM_API_KEY'] ?? '',
    open,
    send,
  }
}

/** Sends the whole request to the client of an echo. */
function echo({ url, headers, body }: ServedRequest, response: Http2ServerResponse): void {
  response.setHeader('x-echo', String(headers['authorization'] ?? ''))
  response.end(JSON.stringify({ url, headers, body }))
}

/** Sends bytes, and returns everything up to the end of the connection. */
export function sendOver(socket: TLSSocket, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let said = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => (said += String(chunk)))
    socket.on('error', (error) => resolve(`${said}${error.message}`))
    socket.on('close', () => resolve(said))
    socket.write(Buffer.from(bytes, 'latin1'))
  })
}

/** Builds a request that ends its connection. */
export function buildRequest(head: readonly string[], body = '', host = API): string {
  const [line = '', ...headers] = head
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
  return [line, `Host: ${host}`, 'Connection: close', ...headers, ...length, '', body].join('\r\n')
}
