import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { parseTokens } from '../../src/server/auth/tokens.ts'
import { startTestServer, type TestServer } from '../helpers/server.ts'

const ALICE = 'alice-token-0123456789'
const RUNNER = 'runner-token-0123456789'
const tokens = () => parseTokens(`${ALICE} alice\n${RUNNER} runner run\n`, 'tokens.txt')
const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'list_skills' })

/** Sends raw bytes and returns what is received until the server closes the connection. */
async function sendRaw(
  { url }: TestServer,
  lines: readonly string[],
  body: string | { held: string } = '',
): Promise<string> {
  return await new Promise((resolve, reject) => {
    let all = ''
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () =>
      socket.write([...lines, '', typeof body === 'string' ? body : ''].join('\r\n')),
    )
    socket.on('data', (chunk) => {
      all += String(chunk)
      const isAsked = typeof body === 'object' && all.endsWith('100 Continue\r\n\r\n')
      if (isAsked) socket.write(body.held)
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(all))
  })
}

const JSON_BODY = [
  'Content-Type: application/json',
  `Content-Length: ${LIST.length}`,
  'Connection: close',
]
const readStatus = (answer: string) => Number(answer.split(' ')[1])

describe('an ambiguous request', () => {
  it.each([
    ['two hosts, the first of them ours', ['Host: localhost', 'Host: evil.example.com']],
    ['two hosts, the last of them ours', ['Host: evil.example.com', 'Host: localhost']],
    ['two tokens, the first of them good', [`Authorization: Bearer ${ALICE}`, 'AUTHORIZATION: x']],
    ['the same token twice', Array(2).fill(`Authorization: Bearer ${ALICE}`)],
  ])('is rejected for %s', async (_, headers) => {
    const server = await startTestServer({ tokens: tokens() })
    const host = headers.some((each) => each.startsWith('Host')) ? [] : ['Host: localhost']
    const token = headers.some((each) => /^auth/i.test(each))
      ? []
      : [`Authorization: Bearer ${ALICE}`]
    const good = ['POST /rpc HTTP/1.1', ...host, ...token, ...JSON_BODY]
    const answer = await sendRaw(server, [...good.slice(0, 1), ...headers, ...good.slice(1)], LIST)
    expect(readStatus(answer)).toBe(400)
    expect(answer).toContain('got several')
    const [plain = ''] = headers
    const fine = [
      ...good.slice(0, 1),
      plain.replace('evil.example.com', 'localhost'),
      ...good.slice(1),
    ]
    expect(readStatus(await sendRaw(server, fine, LIST))).toBe(200)
  })

  it('is rejected if its URL and its Host header differ', async () => {
    const server = await startTestServer()
    const at = (target: string) => [
      `POST http://${target}/rpc HTTP/1.1`,
      'Host: localhost',
      ...JSON_BODY,
    ]
    expect(readStatus(await sendRaw(server, at('localhost'), LIST))).toBe(200)
    expect(readStatus(await sendRaw(server, at('LOCALHOST:80'), LIST))).toBe(200)
    expect(readStatus(await sendRaw(server, at('evil.example.com'), LIST))).toBe(400)
  })
})

describe('an unsupported HTTP method', () => {
  it.each([
    ['/rpc', 'POST'],
    ['/blobs', 'PUT'],
    ['/blobs/blob:x', 'GET, HEAD'],
    ['/healthz', 'GET, HEAD'],
    ['/readyz', 'GET, HEAD'],
    ['/metrics', 'GET, HEAD'],
    ['/openrpc.json', 'GET, HEAD'],
    ['/runs/run_x/events', 'GET'],
    ['/.well-known/agent-skills/index.json', 'GET, HEAD'],
    ['/.well-known/skills/demo/SKILL.md', 'GET, HEAD'],
  ])('is rejected at %s with Allow: %s', async (path, allowed) => {
    const server = await startTestServer()
    for (const method of ['DELETE', 'OPTIONS']) {
      const response = await server.fetch(path, { method })
      expect([response.status, response.headers.get('allow')]).toEqual([405, allowed])
    }
  })
})

describe('a body with Expect: 100-continue', () => {
  const put = (size: number) => [
    'PUT /blobs HTTP/1.1',
    'Host: localhost',
    `Content-Length: ${size}`,
    'Expect: 100-continue',
  ]

  it('is not requested if the request is rejected', async () => {
    const server = await startTestServer({ tokens: tokens() })
    const answer = await sendRaw(server, put(5))
    expect(readStatus(answer)).toBe(401)
    const tooLarge = await sendRaw(server, [...put(1e15), `Authorization: Bearer ${ALICE}`])
    expect(readStatus(tooLarge)).toBe(413)
    expect(answer + tooLarge).not.toContain('100 Continue')
  })

  it('is requested when it is read, at /blobs and /rpc', async () => {
    const server = await startTestServer()
    const stored = await sendRaw(server, [...put(5), 'Connection: close'], { held: 'hello' })
    expect(stored).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 /)
    const lines = ['POST /rpc HTTP/1.1', 'Host: localhost', 'Expect: 100-continue', ...JSON_BODY]
    expect(await sendRaw(server, lines, { held: LIST })).toMatch(
      /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 /,
    )
    // A client may send the body without waiting for `100 Continue`.
    expect(readStatus(await sendRaw(server, lines, LIST))).toBe(200)
  })

  it('is rejected with Content-Range, and a HEAD request does not truncate content', async () => {
    const server = await startTestServer()
    const init = { method: 'PUT', body: 'hello' }
    const part = await server.fetch('/blobs', {
      ...init,
      headers: { 'content-range': 'bytes 0-4/9' },
    })
    expect(part.status).toBe(400)
    const { blob_id: id } = (await (await server.fetch('/blobs', init)).json()) as {
      blob_id: string
    }
    const headers = { range: 'bytes=0-1' }
    const head = await server.fetch(`/blobs/${id}`, { method: 'HEAD', headers })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '5'])
    expect((await server.fetch(`/blobs/${id}`, { headers })).status).toBe(206)
  })
})

describe('a request with Connection: close', () => {
  it('closes the connection after an MCP response too', async () => {
    const server = await startTestServer({ withMcp: {} })
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
    const lines = ['POST /mcp HTTP/1.1', 'Host: localhost', 'Connection: close']
    const more = ['Accept: application/json, text/event-stream', 'Content-Type: application/json']
    const length = `Content-Length: ${ping.length}`
    const answer = await sendRaw(server, [...lines, ...more, length], ping)
    expect(answer).toMatch(/^connection: close\r$/im)
    expect(answer).not.toMatch(/keep-alive/i)
  })
})

describe('the shutdown of a server', () => {
  it('does not wait for idle connections or partial requests', async () => {
    const server = await startTestServer()
    const { port } = new URL(server.url)
    const texts = ['', 'POST /rpc HT', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /he']
    const closed = texts.map(
      async (text) =>
        await new Promise((resolve) => {
          const socket = connect(Number(port), '127.0.0.1', () => socket.write(text))
          socket.on('error', resolve).on('close', resolve).resume()
        }),
    )
    // After these responses, all connections are open.
    for (let at = 0; at < 3; at++) expect((await server.fetch('/healthz')).status).toBe(200)
    await server.stop(600_000)
    await Promise.all(closed)
  })
})

describe('a not-found error', () => {
  it('of a path names no parameter', async () => {
    const server = await startTestServer()
    for (const path of ['/blobs/blob:x', '/runs/run_x/events']) {
      const response = await server.fetch(path)
      expect(response.status).toBe(404)
      const { error } = (await response.json()) as { error: Record<string, unknown> }
      expect(error['message']).not.toContain('Invalid params')
      expect(error).not.toHaveProperty('param')
    }
  })
})

describe('a token with the scope "run" only', () => {
  it('cannot read the OpenRPC document on either path', async () => {
    const server = await startTestServer({ tokens: tokens() })
    const headers = { authorization: `Bearer ${RUNNER}` }
    expect((await server.fetch('/openrpc.json', { headers })).status).toBe(403)
    const answer = await server.post({ jsonrpc: '2.0', id: 1, method: 'rpc.discover' }, headers)
    expect(await answer.json()).toMatchObject({ error: { code: -32002, data: { scope: 'read' } } })
  })
})
