import { createHash, createHmac } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import type { Duplex } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { maskSecrets } from '../../../../src/core/runs/network/masked-secrets.ts'
import type { AnswerableRequest } from '../../../../src/core/sandbox/egress/answers/request-answerer.ts'
import { createMaskedNetwork } from '../../../../src/core/sandbox/egress/masking/masked-network.ts'
import { API, buildRequest, openMasked, OTHER, sendOver, VALUE } from './masking-fixture.ts'

describe('the place of a value', () => {
  it('is a header, also within Basic authentication', async () => {
    const { port, send, requests, standIn } = await openMasked(['header:Authorization'])
    const host = `${API}:${port}`
    expect(standIn).toMatch(/^sk-[a-z0-9]/)
    await send(buildRequest(['GET / HTTP/1.1', `Authorization: Bearer ${standIn}`], '', host))
    const basic = Buffer.from(`me:${standIn}`).toString('base64')
    await send(buildRequest(['GET / HTTP/1.1', `Authorization: Basic ${basic}`], '', host))
    expect(requests.map(({ headers }) => headers['authorization'])).toEqual([
      `Bearer ${VALUE}`,
      `Basic ${Buffer.from(`me:${VALUE}`).toString('base64')}`,
    ])
  })

  it('is a parameter of the query, escaped as the query is', async () => {
    const { port, send, requests, standIn } = await openMasked(['query:key'])
    await send(
      buildRequest([`GET /a?key=${standIn}&other=${standIn} HTTP/1.1`], '', `${API}:${port}`),
    )
    expect(requests[0]?.url).toBe(`/a?key=${encodeURIComponent(VALUE)}&other=${standIn}`)
  })

  it.each([
    ['application/json', (key: string) => JSON.stringify({ key, n: 1 })],
    ['application/x-www-form-urlencoded', (key: string) => new URLSearchParams({ key }).toString()],
    ['text/plain', (key: string) => `key ${key}`],
  ])('is a body of %s, with its new length', async (type, write) => {
    const value = `${VALUE}"quoted"\\end&more`
    const { port, send, requests, standIn } = await openMasked(['body'], { value })
    const body = write(standIn)
    await send(buildRequest(['POST / HTTP/1.1', `Content-Type: ${type}`], body, `${API}:${port}`))
    expect(requests[0]?.body.replaceAll('%20', '+')).toBe(write(value))
    expect(Number(requests[0]?.headers['content-length'])).toBe(
      Buffer.byteLength(requests[0]?.body ?? ''),
    )
  })

  it('does not change the length of an empty body', async () => {
    const { port, send, requests } = await openMasked(['body'])
    const head = ['POST / HTTP/1.1', 'Content-Length: 0']
    await send(buildRequest(head, '', `${API}:${port}`))
    expect(requests[0]?.headers).toMatchObject({ 'content-length': '0' })
    expect(requests[0]?.headers).not.toHaveProperty('transfer-encoding')
  })

  it('is found when the body arrives in pieces', async () => {
    const { port, open, requests, standIn } = await openMasked(['body'])
    const socket = await open()
    const text = `{"key":"${standIn}"}`
    const pieces = [text.slice(0, 12), text.slice(12, 20), text.slice(20)]
    socket.write(
      `POST / HTTP/1.1\r\nHost: ${API}:${port}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    )
    for (const piece of pieces) socket.write(`${piece.length.toString(16)}\r\n${piece}\r\n`)
    socket.write('0\r\n\r\n')
    await expect.poll(() => requests.length).toBe(1)
    expect(requests[0]?.body).toBe(`{"key":"${VALUE}"}`)
    socket.destroy()
  })

  it('is nowhere else: the stand-in stays, and the log says so', async () => {
    const { port, send, requests, standIn, decisions } = await openMasked(['header:X-Key'])
    await send(
      buildRequest(['GET / HTTP/1.1', `Authorization: Bearer ${standIn}`], '', `${API}:${port}`),
    )
    expect(requests[0]?.headers['authorization']).toBe(`Bearer ${standIn}`)
    expect(decisions.map(({ message }) => message).join()).toContain(
      'CRM_API_KEY stayed a stand-in in the header Authorization',
    )
  })
})

describe('an answer', () => {
  it('has the stand-in in place of an echoed value', async () => {
    const { port, send, standIn } = await openMasked(['header:Authorization'])
    const said = await send(
      buildRequest(['GET / HTTP/1.1', `Authorization: Bearer ${standIn}`], '', `${API}:${port}`),
    )
    expect(said).toContain(`x-echo: Bearer ${standIn}`)
    expect(said).toContain(`"authorization":"Bearer ${standIn}"`)
    expect(said).not.toContain('9Q/zT4')
  })

  it.each([
    [
      'base64',
      Buffer.from(`a ${VALUE} b`).toString('base64'),
      Buffer.from(VALUE).toString('base64').slice(4, 30),
    ],
    ['hex', Buffer.from(VALUE).toString('hex'), Buffer.from(VALUE).toString('hex')],
    ['a URL', encodeURIComponent(VALUE), '9Q%2FzT4'],
  ])('is searched for %s', async (_name, echoed, hidden) => {
    const { port, send } = await openMasked(['header:Authorization'], {
      answer: (_request, response) => response.end(echoed),
    })
    const said = await send(buildRequest(['GET / HTTP/1.1'], '', `${API}:${port}`))
    expect(said).toContain('HTTP/1.1 200')
    expect(said).not.toContain(hidden)
  })

  it('is decoded when the server compresses it all the same', async () => {
    const { port, send, standIn } = await openMasked(['header:Authorization'], {
      answer: (_request, response) => {
        response.setHeader('content-encoding', 'gzip')
        response.end(gzipSync(`key ${VALUE}`))
      },
    })
    expect(await send(buildRequest(['GET / HTTP/1.1'], '', `${API}:${port}`))).toContain(
      `key ${standIn}`,
    )
  })

  it('in a coding that cannot be searched is refused', async () => {
    const { port, send } = await openMasked(['header:Authorization'], {
      answer: (_request, response) => {
        response.setHeader('content-encoding', 'zstd')
        response.end('x')
      },
    })
    expect(await send(buildRequest(['GET / HTTP/1.1'], '', `${API}:${port}`))).toContain(
      'coding \\"zstd\\"',
    )
  })
})

describe('a stand-in that is sent elsewhere', () => {
  it('stays what it is for hosts that are not decrypted, and is refused in their names', async () => {
    const { port, open, decisions, standIn, proxy } = await openMasked(['header:Authorization'])
    const socket = await open(OTHER)
    await new Promise((resolve) => socket.once('secureConnect', resolve))
    expect(socket.getPeerCertificate().subject.CN).toBe('test of the network filter')
    socket.destroy()
    const { openClient } = await import('./egress-fixture.ts')
    const { send } = await openClient(proxy)
    const name = `${standIn}.example.test:${port}`
    expect(await send(`CONNECT ${name} HTTP/1.1\r\nHost: ${name}\r\n\r\n`, '\r\n\r\n')).toContain(
      '403',
    )
    expect(decisions.at(-1)).toMatchObject({ allowed: false, reason: 'secret-elsewhere' })
  })

  it('is refused when the Host header names another host', async () => {
    const { port, send, requests, standIn } = await openMasked(['header:Authorization'])
    const said = await send(
      buildRequest(['GET / HTTP/1.1', `Authorization: Bearer ${standIn}`], '', `${OTHER}:${port}`),
    )
    expect(said).toContain('400')
    expect(requests).toEqual([])
  })
})

describe('HTTP/2', () => {
  it('is relayed as HTTP/2, stream by stream', async () => {
    const { port, open, requests, standIn } = await openMasked(['header:authorization', 'body'])
    const socket = await open(API, ['h2', 'http/1.1'])
    const session = connectHttp2(`https://${API}:${port}`, { createConnection: () => socket })
    const answers = await Promise.all(
      [1, 2, 3].map(async (n) => {
        const stream = session.request({
          ':method': 'POST',
          ':path': `/${n}`,
          authorization: `Bearer ${standIn}`,
          'content-type': 'application/json',
        })
        stream.end(JSON.stringify({ n, key: standIn }))
        let said = ''
        for await (const chunk of stream) said += String(chunk)
        return said
      }),
    )
    session.close()
    expect(requests.map(({ version }) => version)).toEqual(['2.0', '2.0', '2.0'])
    expect(requests.map(({ headers }) => headers['authorization'])).toEqual(
      Array(3).fill(`Bearer ${VALUE}`),
    )
    expect(requests.map(({ body }) => JSON.parse(body).key)).toEqual(Array(3).fill(VALUE))
    for (const answer of answers) expect(answer).toContain(standIn)
    expect(answers.join()).not.toContain('9Q/zT4')
  })
})

describe('a client that does not trust the authority of the run', () => {
  const refused = {
    allowed: true,
    reason: 'authority-refused',
    message: expect.stringMatching(
      /ended a connection to api.example.test without a request.*own authority, because CRM_API_KEY is put in.*declare the secret without hosts if the client pins/,
    ) as string,
  }

  it('is explained, however it ends the connection', async () => {
    for (const options of [{ ca: [] }, { rejectUnauthorized: false }]) {
      const { open, decisions } = await openMasked(['header:authorization'])
      const socket = await open(API, ['http/1.1'], options)
      socket.on('error', () => {})
      socket.once('secureConnect', () => socket.destroy())
      await expect.poll(() => decisions.at(-1)).toMatchObject(refused)
    }
  })

  it('is told from one that has sent its requests', async () => {
    const { port, open, send, decisions } = await openMasked(['header:authorization'])
    await send(buildRequest(['GET / HTTP/1.1'], '', `${API}:${port}`))
    const socket = await open(API, ['h2'])
    const session = connectHttp2(`https://${API}:${port}`, { createConnection: () => socket })
    await session.request({ ':path': '/' }).resume().end().toArray()
    session.destroy()
    const last = await open()
    last.once('secureConnect', () => last.destroy())
    await expect.poll(() => decisions.at(-1)).toMatchObject(refused)
    expect(decisions.filter(({ reason }) => reason !== 'listed')).toHaveLength(1)
  })
})

describe('a WebSocket', () => {
  it('has the value in its handshake, and no echo of it in its frames', async () => {
    const { port, open, server, standIn } = await openMasked(['header:Authorization'])
    const seen: IncomingHttpHeaders[] = []
    server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
      seen.push(request.headers)
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
      )
      socket.write(Buffer.concat([Buffer.from([0x81, VALUE.length]), Buffer.from(VALUE)]))
      socket.once('data', (bytes: Buffer) => socket.end(bytes))
    })
    const socket = await open()
    const said = sendOver(
      socket,
      [
        'GET /socket HTTP/1.1',
        `Host: ${API}:${port}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Extensions: permessage-deflate',
        `Authorization: Bearer ${standIn}`,
        '',
        'ping',
      ].join('\r\n'),
    )
    expect(await said).toMatch(/^HTTP\/1\.1 101 /)
    expect(await said).toContain(standIn)
    expect(await said).toContain('ping')
    expect(await said).not.toContain('9Q/zT4')
    expect(seen[0]).toMatchObject({ authorization: `Bearer ${VALUE}` })
    expect(seen[0]).not.toHaveProperty('sec-websocket-extensions')
  })
})

describe('a signature', () => {
  it('of the scheme SigV4 is computed again', async () => {
    const { port, send, requests, standIn } = await openMasked(['sigv4'])
    const host = `${API}:${port}`
    const head = { method: 'GET', path: '/a?b=1', host, date: '20260101T000000Z' }
    await send(buildRequest(['GET /a?b=1 HTTP/1.1', ...signForAws(head, standIn)], '', host))
    expect(requests[0]?.headers['authorization']).toBe(
      signForAws(head, VALUE)[0]?.slice('Authorization: '.length),
    )
  })

  it('of SigV4 whose pieces are signed too is refused', async () => {
    const { port, send, requests, standIn } = await openMasked(['sigv4'])
    const host = `${API}:${port}`
    const head = { method: 'PUT', path: '/a', host, date: '20260101T000000Z' }
    const signed = signForAws(head, standIn)
    const pieces = 'X-Amz-Content-Sha256: STREAMING-AWS4-HMAC-SHA256-PAYLOAD'
    const said = await send(buildRequest(['PUT /a HTTP/1.1', ...signed, pieces], 'body', host))
    expect(said).toContain('only AWS Signature Version 4 of the whole request can')
    expect(requests).toEqual([])
  })

  it('of the whole body is computed again', async () => {
    const { port, send, requests, standIn } = await openMasked(['hmac:X-Signature'])
    const sign = (key: string) =>
      `sha256=${createHmac('sha256', key).update('the body').digest('hex')}`
    await send(
      buildRequest(
        ['POST / HTTP/1.1', `X-Signature: ${sign(standIn)}`],
        'the body',
        `${API}:${port}`,
      ),
    )
    expect(requests[0]?.headers['x-signature']).toBe(sign(VALUE))
  })

  it('that cannot be computed again is refused', async () => {
    const { port, send, requests } = await openMasked(['hmac:X-Signature'])
    const said = await send(
      buildRequest(['POST / HTTP/1.1', 'X-Signature: other'], 'the body', `${API}:${port}`),
    )
    expect(said).toContain('cannot be computed again')
    expect(requests).toEqual([])
  })
})

/** Signs the headers host and x-amz-date, as clients of AWS do. */
function signForAws(
  head: { method: string; path: string; host: string; date: string },
  key: string,
): string[] {
  const [path = '', query = ''] = head.path.split('?')
  const empty = createHash('sha256').update('').digest('hex')
  const canonical = [
    head.method,
    path,
    query,
    `host:${head.host}`,
    `x-amz-date:${head.date}`,
    '',
    'host;x-amz-date',
    empty,
  ]
  const scope = `${head.date.slice(0, 8)}/eu-west-1/service/aws4_request`
  const text = [
    'AWS4-HMAC-SHA256',
    head.date,
    scope,
    createHash('sha256').update(canonical.join('\n')).digest('hex'),
  ]
  const signing = scope
    .split('/')
    .reduce<Buffer>(
      (secret, part) => createHmac('sha256', secret).update(part).digest(),
      Buffer.from(`AWS4${key}`),
    )
  const signature = createHmac('sha256', signing).update(text.join('\n')).digest('hex')
  return [
    `Authorization: AWS4-HMAC-SHA256 Credential=ID/${scope}, SignedHeaders=host;x-amz-date, Signature=${signature}`,
    `X-Amz-Date: ${head.date}`,
  ]
}

describe('a recorded network', () => {
  it('sees the value, which recordings redact, and gives back the stand-in', async () => {
    const use = { hosts: [`https://${API}`], in: ['header:Authorization', 'body', 'query:key'] }
    const { masked, variables } = maskSecrets(
      new Map([['KEY', VALUE]]),
      new Map([['KEY', use]]),
      'run',
    )
    const standIn = variables['KEY'] ?? ''
    const asked: AnswerableRequest[] = []
    const answerer = createMaskedNetwork(masked, undefined).maskAnswerer({
      mode: 'replay',
      onUnanswerable: () => {},
      answer: async (request) => {
        asked.push(request)
        return { status: 200, headers: [['x-echo', VALUE]], body: request.body }
      },
    })
    const request = {
      destination: { scheme: 'https' as const, host: API, port: 443 },
      method: 'POST',
      url: `https://${API}/a?key=${standIn}`,
      headers: [['Authorization', `Bearer ${standIn}`]] as const,
      body: Buffer.from(`key ${standIn}`),
    }
    const forward = async () => await Promise.reject(new Error('nothing is forwarded'))
    const answer = await answerer.answer(request, forward)
    expect(asked[0]).toMatchObject({
      url: `https://${API}/a?key=${encodeURIComponent(VALUE)}`,
      headers: [['Authorization', `Bearer ${VALUE}`]],
    })
    expect(asked[0]?.body.toString()).toBe(`key ${VALUE}`)
    expect(answer.headers).toEqual([['x-echo', standIn]])
    expect(answer.body.toString()).toBe(`key ${standIn}`)
    const other = {
      ...request,
      destination: { ...request.destination, host: OTHER },
      url: `https://${OTHER}/`,
    }
    await expect(answerer.answer(other, forward)).rejects.toThrow(
      `KEY was sent to ${OTHER}: refused`,
    )
  })
})
