import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  connect as connectHttp2,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ServerHttp2Stream,
} from 'node:http2'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { API, buildRequest, openMasked, sendOver, VALUE } from './masking-fixture.ts'

type Opened = Awaited<ReturnType<typeof openMasked>>

/** Not of the length of its stand-in. */
const SHORT = 'k!y9'

async function openHttp2({ open, port }: Opened): Promise<ClientHttp2Session> {
  const socket = await open(API, ['h2'])
  const session = connectHttp2(`https://${API}:${port}`, { createConnection: () => socket })
  session.on('error', () => {})
  onTestFinished(() => session.destroy())
  return session
}

/** Collects everything of an answer. */
async function readAnswer(stream: ClientHttp2Stream) {
  const seen = { status: 0, headers: {}, trailers: {}, body: '', code: 0 }
  stream.on('response', (headers) => {
    seen.status = headers[':status'] ?? 0
    seen.headers = headers
  })
  stream.on('trailers', (each) => (seen.trailers = each))
  stream.on('data', (chunk: Buffer) => (seen.body += chunk.toString('latin1')))
  stream.on('error', () => {})
  await new Promise((resolve) => stream.once('close', resolve))
  seen.code = stream.rstCode ?? 0
  return seen
}

/** Counts what would end the process. */
function watchProcess(): unknown[] {
  const seen: unknown[] = []
  const note = (error: unknown) => void seen.push(error)
  const before = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  const others = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  process.on('unhandledRejection', note).on('uncaughtException', note)
  onTestFinished(() => {
    process.removeAllListeners('unhandledRejection').removeAllListeners('uncaughtException')
    for (const each of before) process.on('unhandledRejection', each)
    for (const each of others) process.on('uncaughtException', each)
  })
  return seen
}

/** A frame of HTTP/2. */
function frame(type: number, flags: number, content = Buffer.alloc(0)): Buffer {
  const stream = type === 4 ? 0 : 1
  return Buffer.concat([Buffer.from([0, 0, content.length, type, flags, 0, 0, 0, stream]), content])
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe('an echo', () => {
  it('is found in the status text and in the names of headers', async () => {
    const opened = await openMasked(['header:Authorization'], {
      value: 'sk-live9QzT4x8Wm2Lq7Rb5Vn1',
    })
    opened.server.removeAllListeners('request')
    opened.server.on('request', (request: IncomingMessage) => {
      const [, value = ''] = (request.headers.authorization ?? '').split(' ')
      request.socket.end(
        `HTTP/1.1 200 for ${value}\r\n${value}: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
      )
    })
    const { send, port, standIn } = opened
    const said = await send(
      buildRequest(['GET / HTTP/1.1', `Authorization: Bearer ${standIn}`], '', `${API}:${port}`),
    )
    expect(said).toContain(`200 for ${standIn}`)
    expect(said).not.toContain('9QzT4')
  })

  it('of a value that is shorter than its stand-in is found in frames of a WebSocket', async () => {
    const { port, open, server, standIn } = await openMasked(['header:Authorization'], {
      value: SHORT,
    })
    server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
      const [, value = ''] = (request.headers.authorization ?? '').split(' ')
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
      )
      socket.end(Buffer.concat([Buffer.from([0x81, value.length]), Buffer.from(value)]))
    })
    const said = await sendOver(
      await open(),
      `GET / HTTP/1.1\r\nHost: ${API}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nAuthorization: Bearer ${standIn}\r\n\r\n`,
    )
    expect(said).toMatch(/^HTTP\/1\.1 101/)
    expect(said).not.toContain(SHORT)
  })
})

describe('the process goes on', () => {
  it('when a stream of HTTP/2 is reset while its body is read', async () => {
    const seen = watchProcess()
    const opened = await openMasked(['body'], { value: `${VALUE}"` })
    const session = await openHttp2(opened)
    for (const code of [0, 8, 2]) {
      const stream = session.request({
        ':method': 'POST',
        ':path': '/',
        'content-type': 'application/json',
        'content-length': '100000',
      })
      stream.on('error', () => {})
      stream.write(Buffer.alloc(40_000, 'x'))
      await pause(100)
      stream.close(code)
      await pause(100)
    }
    expect(seen).toEqual([])
  })

  it('when trailers cannot be passed on', async () => {
    const seen = watchProcess()
    const opened = await openMasked(['body'])
    opened.server.removeAllListeners('secureConnection')
    opened.server.on('secureConnection', (socket: TLSSocket) => {
      socket.on('error', () => {})
      const trailer = Buffer.concat([
        Buffer.from([0, 14]),
        Buffer.from('http2-settings'),
        Buffer.from([1, 0x78]),
      ])
      socket.write(frame(4, 0))
      setTimeout(() => {
        socket.write(frame(4, 1))
        socket.write(
          Buffer.concat([
            frame(1, 4, Buffer.from([0x88])),
            frame(0, 0, Buffer.from('ok')),
            frame(1, 5, trailer),
          ]),
        )
      }, 100)
    })
    const session = await openHttp2(opened)
    const answer = await readAnswer(session.request({ ':path': '/' }))
    expect(answer).toMatchObject({ status: 200, body: 'ok', code: 2 })
    expect(seen).toEqual([])
  })

  it('and trailers have no value', async () => {
    const opened = await openMasked(['body'], {
      answer: (_request, response) => {
        response.addTrailers({ 'grpc-status': '0', 'x-proxy': VALUE })
        response.end('ok')
      },
    })
    const session = await openHttp2(opened)
    const answer = await readAnswer(session.request({ ':path': '/', te: 'trailers' }))
    expect(opened.requests[0]?.headers).toMatchObject({ te: 'trailers' })
    expect(answer).toMatchObject({
      status: 200,
      body: 'ok',
      trailers: { 'grpc-status': '0', 'x-proxy': opened.standIn },
    })
  })

  it('and trailers of HTTP/1.1 have no value', async () => {
    const { send, port, standIn } = await openMasked(['body'], {
      answer: (_request, response) => {
        response.setHeader('trailer', 'x-checksum, x-proxy')
        response.addTrailers({ 'x-checksum': '1', 'x-proxy': VALUE })
        response.end('ok')
      },
    })
    const said = await send(buildRequest(['GET / HTTP/1.1'], '', `${API}:${port}`))
    expect(said).toMatch(/0\r\nx-checksum: 1\r\nx-proxy: sk-\S+\r\n\r\n$/)
    expect(said).toContain(`x-proxy: ${standIn}`)
  })

  it('when requests arrive before the answers of earlier ones', async () => {
    const { open, port, requests, decisions } = await openMasked(['body'], { answer: () => {} })
    const socket = await open()
    socket.on('error', () => {})
    const closed = once(socket, 'close')
    socket.write(`GET / HTTP/1.1\r\nHost: ${API}:${port}\r\n\r\n`.repeat(200))
    await closed
    expect(requests.length).toBeLessThan(2)
    expect(decisions.at(-1)).toMatchObject({ allowed: false, reason: 'request-refused' })
  })
})

describe('honest clients', () => {
  it.each([
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 304],
    ['GET', 301],
  ])('get an answer without a body over both versions: %s %i', async (method, status) => {
    const opened = await openMasked(['body'], {
      answer: (_request, response) => {
        response.writeHead(status, {
          'content-encoding': 'gzip',
          ...(status === 301 && { 'content-length': '0' }),
        })
        response.end()
      },
    })
    const { send, port } = opened
    const said = await send(buildRequest([`${method} / HTTP/1.1`], '', `${API}:${port}`))
    expect(said).toContain(`HTTP/1.1 ${status}`)
    if (status === 301) expect(said).toMatch(/0\r\n\r\n$|content-length: 0/i)
    const session = await openHttp2(opened)
    const answer = await readAnswer(session.request({ ':path': '/', ':method': method }))
    expect(answer).toMatchObject({ status, code: 0 })
  })

  it('get the whole of a large answer that ends its connection, although they read slowly', async () => {
    const size = 8 * 1024 * 1024
    const opened = await openMasked(['body'])
    opened.server.removeAllListeners('request')
    opened.server.on('request', (request: IncomingMessage) => {
      request.socket.write('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n')
      request.socket.end(Buffer.alloc(size, 'y'))
    })
    const socket = await opened.open()
    socket.on('error', () => {})
    socket.write(`GET / HTTP/1.1\r\nHost: ${API}:${opened.port}\r\n\r\n`)
    await pause(700)
    let body = 0
    let tail = ''
    socket.on('data', (chunk: Buffer) => {
      for (const byte of chunk) if (byte === 121) body++
      tail = chunk.subarray(-10).toString('latin1')
    })
    await once(socket, 'close')
    expect(body).toBeGreaterThanOrEqual(size)
    expect(tail).toMatch(/0\r\n\r\n$/)
  })

  it('see when the server ends an idle connection', async () => {
    const opened = await openMasked(['body'])
    Object.assign(opened.server, { keepAliveTimeout: 200 })
    const socket = await opened.open()
    const closed = once(socket, 'close')
    socket.resume()
    socket.write(`GET / HTTP/1.1\r\nHost: ${API}:${opened.port}\r\n\r\n`)
    await closed
    expect(opened.requests.length).toBe(1)
  })

  it('send a large body after the answer 100, and get no other informational one', async () => {
    const { open, port, server, requests } = await openMasked(['header:Authorization'])
    server.on('checkContinue', (request: IncomingMessage) => request.socket.destroy())
    server.prependListener('request', (_request, response: ServerResponse) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' })
    })
    const socket = await open()
    const body = 'x'.repeat(3_000_000)
    const head = ['POST / HTTP/1.1', 'Expect: 100-continue', `Content-Length: ${body.length}`]
    socket.once('data', () => socket.write(body))
    const said = await sendOver(socket, buildRequest(head, '', `${API}:${port}`))
    expect(said).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/)
    expect(requests[0]?.body.length).toBe(body.length)
  })

  it('may end their side after the request', async () => {
    const { open, port } = await openMasked(['body'], {
      answer: (_request, response) => void setTimeout(() => response.end('late'), 200),
    })
    const socket = await open()
    let said = ''
    socket.on('data', (chunk: Buffer) => (said += chunk.toString()))
    socket.on('error', () => {})
    socket.end(`GET / HTTP/1.1\r\nHost: ${API}:${port}\r\n\r\n`)
    await once(socket, 'close')
    expect(said).toContain('late')
  })

  it.each(['the session', 'the connection'])(
    'of HTTP/2 see that the server ends %s',
    async (what) => {
      const opened = await openMasked(['body'])
      opened.server.removeAllListeners('request')
      let count = 0
      opened.server.on('stream', (stream: ServerHttp2Stream) => {
        stream.on('error', () => {})
        if (what === 'the session') stream.session?.destroy()
        else opened.server.emit('end sockets')
        count++
      })
      opened.server.on('secureConnection', (socket: TLSSocket) =>
        opened.server.on('end sockets', () => socket.destroy()),
      )
      const session = await openHttp2(opened)
      const answer = await readAnswer(session.request({ ':path': '/' }))
      expect(answer.status === 502 || answer.code !== 0).toBe(true)
      expect(count).toBe(1)
      await expect.poll(() => session.closed || session.destroyed).toBe(true)
    },
  )

  it('of HTTP/2 keep a connection in use longer than the time without bytes', async () => {
    const opened = await openMasked(['body'], { patience: { idleMs: 500 } })
    opened.server.removeAllListeners('request')
    opened.server.on('stream', (stream: ServerHttp2Stream) => {
      stream.respond()
      let n = 0
      const timer = setInterval(() => {
        stream.write('tick ')
        if (++n === 12) {
          clearInterval(timer)
          stream.end()
        }
      }, 100)
    })
    const session = await openHttp2(opened)
    const answer = await readAnswer(session.request({ ':path': '/' }))
    expect(answer.body).toBe('tick '.repeat(12))
  })

  it('of HTTP/2 lose a connection without bytes', async () => {
    const opened = await openMasked(['body'], { patience: { idleMs: 300 } })
    const session = await openHttp2(opened)
    await readAnswer(session.request({ ':path': '/' }))
    await expect.poll(() => session.closed || session.destroyed, { timeout: 3000 }).toBe(true)
  })

  it('of a WebSocket get the end of each frame at once', async () => {
    const { port, open, server } = await openMasked(['header:Authorization'])
    server.on('upgrade', (_request: IncomingMessage, socket: Duplex) => {
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
      )
      socket.write(Buffer.from([0x81, 3, 0x79, 0x65, 0x73]))
    })
    const socket = await open()
    let said = ''
    socket.on('data', (chunk: Buffer) => (said += chunk.toString('latin1')))
    socket.on('error', () => {})
    socket.write(
      `GET / HTTP/1.1\r\nHost: ${API}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    )
    await expect.poll(() => said, { timeout: 2000 }).toMatch(/yes$/)
    socket.destroy()
  })
})

describe('the limit of bytes', () => {
  it.each(['http/1.1', 'h2'])('counts the heads of requests of %s', async (protocol) => {
    let exceeded = 0
    const answer = (_: unknown, response: { end: () => void }) => response.end()
    const opened = await openMasked(['body'], {
      answer,
      limit: { maxBytes: 60_000, onExceeded: () => exceeded++ },
    })
    const big = 'x'.repeat(12_000)
    if (protocol === 'h2') {
      const session = await openHttp2(opened)
      for (let n = 0; n < 8 && !session.destroyed; n++)
        await readAnswer(session.request({ ':path': '/', a: big }))
    } else {
      for (let n = 0; n < 8; n++)
        await opened
          .send(buildRequest(['GET / HTTP/1.1', `A: ${big}`], '', `${API}:${opened.port}`))
          .catch(() => {})
    }
    expect(exceeded).toBe(1)
  })
})

describe('the end of a run', () => {
  it.each(['http/1.1', 'h2'])('closes every connection of %s', async (protocol) => {
    const opened = await openMasked(['body'], {
      answer: (_request, response) => void response.write('begin'),
    })
    const sockets = new Set<TLSSocket>()
    opened.server.on('secureConnection', (socket: TLSSocket) => {
      sockets.add(socket.on('close', () => sockets.delete(socket)))
    })
    if (protocol === 'h2') {
      const stream = (await openHttp2(opened)).request({ ':path': '/' })
      stream.on('error', () => {})
      await once(stream, 'data')
    } else {
      const socket = await opened.open()
      socket.on('error', () => {})
      socket.write(`GET / HTTP/1.1\r\nHost: ${API}:${opened.port}\r\n\r\n`)
      await once(socket, 'data')
    }
    expect(sockets.size).toBe(1)
    opened.egress.close()
    await expect.poll(() => sockets.size).toBe(0)
  })
})

describe('streams of HTTP/2', () => {
  it('of all connections together are limited', async () => {
    const opened = await openMasked(['body'], { answer: () => {} })
    const sessions = [await openHttp2(opened), await openHttp2(opened)]
    const refused: number[] = []
    for (let n = 0; n < 200; n++) {
      const stream = sessions[n % 2]?.request({ ':path': '/' })
      stream?.on('error', () => {}).on('close', () => refused.push(stream.rstCode ?? 0))
    }
    await expect.poll(() => refused.length).toBe(72)
    expect(new Set(refused)).toEqual(new Set([7]))
  })
})
