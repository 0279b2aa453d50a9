import { createServer, type IncomingMessage } from 'node:http'
import { Duplex } from 'node:stream'
import type { Socket } from 'node:net'
import type { NetworkDestination } from '../../../src/core/sandbox/egress/destination.ts'
import type { EgressFilter } from '../../../src/core/sandbox/egress/egress-filter.ts'
import { HttpProxy } from '../../../src/core/sandbox/egress/http-proxy.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { expectEqual, expectThat } from './expect.ts'

const request = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`

/** Bytes that code sends to the proxy of its run: what is forwarded has one reading only. */
export const target: FuzzTarget = {
  name: 'egress-http',
  format: 'text',
  seeds: [
    request('GET http://a.example/x?y HTTP/1.1', 'Host: a.example', 'Accept: */*'),
    `${request('POST http://a.example:8080/ HTTP/1.1', 'Host: a.example:8080', 'Content-Length: 3')}abc`,
    `${request('PUT http://a.example/ HTTP/1.1', 'Host: a.example', 'Transfer-Encoding: chunked')}3\r\nabc\r\n0\r\n\r\n`,
    request('CONNECT a.example:443 HTTP/1.1', 'Host: a.example:443'),
    request('GET http://[2001:db8::1]/ HTTP/1.0', 'Connection: close, x-hop', 'X-Hop: 1'),
  ],
  words: [
    'GET ',
    'POST ',
    'CONNECT ',
    'http://',
    'https://',
    ' HTTP/1.1\r\n',
    ' HTTP/1.0\r\n',
    '\r\n',
    'Host: b.example\r\n',
    'Content-Length: 0\r\n',
    'Content-Length: 5\r\n',
    'Upgrade: h2c\r\n',
    'Transfer-Encoding: chunked\r\n',
    'Transfer-Encoding: identity\r\n',
    'Connection: host\r\n',
    'Connection: content-length\r\n',
    'Expect: 100-continue\r\n',
    '\r\n\r\n',
    '0\r\n\r\n',
    '@',
    ':80',
    ':443',
    '#',
    '\\',
    '%00',
    '\n',
    '\r',
    '\t',
    ' ',
    '\x0b',
    'a.example',
    '127.0.0.1',
  ],
  open: (isPlanted) => async (input) => {
    const { destinations, sent } = await proxy(input)
    expectThat(destinations.length <= 1, 'a connection reaches one destination at a time')
    const [destination] = destinations
    if (!destination || sent.length === 0) return
    const received = await parseRequests(isPlanted ? withSecondLength(sent) : sent)
    expectEqual(received.length <= 1, true, 'that one request is forwarded')
    for (const { rawHeaders, headers, url = '' } of received) {
      const names = rawHeaders.filter((_, at) => at % 2 === 0).map((each) => each.toLowerCase())
      for (const name of ['host', 'content-length', 'transfer-encoding'])
        expectThat(names.filter((each) => each === name).length <= 1, `one ${name}`)
      const isBoth = names.includes('content-length') && names.includes('transfer-encoding')
      expectThat(!isBoth, 'one length')
      expectThat(url.startsWith('/'), 'the next hop gets a path')
      const host = (headers.host ?? '').replace(/:\d+$/, '').replace(/^\[|\]$/g, '')
      expectEqual(host, destination.host, 'the Host header')
    }
  },
}

/** The planted bug: a second length is passed on. */
function withSecondLength(sent: Buffer): Buffer {
  return Buffer.from(sent.toString('latin1').replace(/\r\naccept: /i, '\r\nHost: '), 'latin1')
}

async function proxy(input: Buffer): Promise<{ destinations: NetworkDestination[]; sent: Buffer }> {
  const destinations: NetworkDestination[] = []
  const parts: Buffer[] = []
  const filter = {
    reportRefusal: (_: string, refusal: object) => refusal,
    listsOnlyHttp: ({ port }: NetworkDestination) => port === 80,
    async connect(_: string, destination: NetworkDestination) {
      destinations.push(destination)
      return createStream((chunk) => parts.push(chunk))
    },
  } as unknown as EgressFilter
  const timeouts = { headMs: 5000, idleMs: 5000 }
  const server = new HttpProxy(filter, timeouts, ({ upstream }) => upstream.destroy())
  const client = createStream(() => {})
  server.acceptConnection(client, { via: 'proxy' })
  client.push(input)
  for (let turns = 0; turns < 8; turns++) await new Promise((resolve) => setImmediate(resolve))
  client.destroy()
  return { destinations, sent: Buffer.concat(parts) }
}

/** A second, independent reading: by Node's server, which accepts only whole requests. */
async function parseRequests(bytes: Buffer): Promise<IncomingMessage[]> {
  const received: IncomingMessage[] = []
  const server = createServer({ requireHostHeader: false }, (message, response) => {
    received.push(message)
    message.resume()
    response.on('error', () => {})
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  const client = createStream(() => {})
  server.emit('connection', client)
  client.push(bytes)
  for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve))
  client.destroy()
  return received
}

/** A connection without a network. */
function createStream(onWrite: (chunk: Buffer) => void): Socket {
  const stream = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      onWrite(chunk)
      done()
    },
  })
  stream.on('error', () => {})
  return Object.assign(stream, {
    setTimeout: () => stream,
    setNoDelay: () => stream,
    setKeepAlive: () => stream,
    ref: () => stream,
    unref: () => stream,
  }) as unknown as Socket
}
