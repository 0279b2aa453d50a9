import { request } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { checkHost } from '../../src/server/auth/host-check.ts'
import { jsonLog } from '../../src/server/telemetry/request-log.ts'
import { parseTokens, singleToken } from '../../src/server/auth/tokens.ts'
import { startTestServer, type RpcAnswer, type TestServer } from '../helpers/server.ts'

const ALICE = 'alice-token-0123456789'
const READER = 'reader-token-0123456789'
const tokens = () => parseTokens(`# ours\n${ALICE} alice\n${READER} reader read\n`, 'tokens.txt')
const call = { jsonrpc: '2.0', id: 1, method: 'list_skills' }

/** Sends a request with any Host header, which `fetch` does not allow. */
async function requestWithHost(
  server: TestServer,
  headers: Record<string, string>,
): Promise<number> {
  return await new Promise((resolve, reject) => {
    const sent = request(
      `${server.url}/rpc`,
      { method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
      (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      },
    )
    sent.on('error', reject)
    sent.end(JSON.stringify(call))
  })
}

/** Sends a raw request. */
async function rawRequest({ url }: TestServer, path: string, host: string) {
  const text = await new Promise<string>((resolve, reject) => {
    let all = ''
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () =>
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
      ),
    )
    socket.on('data', (chunk) => (all += String(chunk)))
    socket.on('error', reject)
    socket.on('close', () => resolve(all))
  })
  const [head = '', body = ''] = text.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), body }
}

describe('Host and Origin', () => {
  it('accept the names of this machine only, whatever DNS says', async () => {
    const server = await startTestServer({ allowedHosts: ['skills.internal'] })
    for (const host of [
      'localhost',
      'localhost:1',
      '127.0.0.1:99',
      '[::1]:8080',
      'LOCALHOST.',
      'skills.internal',
    ]) {
      expect(await requestWithHost(server, { host })).toBe(200)
    }
    for (const host of [
      'evil.example',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      '10.0.0.1',
      'a@localhost',
    ]) {
      expect(await requestWithHost(server, { host })).not.toBe(200)
    }
  })

  it.each(['[::1', 'a b', 'localhost:99999', 'a@localhost', '%', ''])(
    'explain what is wrong with the Host "%s"',
    async (host) => {
      const lines: string[] = []
      const server = await startTestServer({ log: jsonLog((line) => void lines.push(line)) })
      for (const path of ['/rpc', '/healthz']) {
        const { status, body } = await rawRequest(server, path, host)
        expect([400, 403]).toContain(status)
        const { jsonrpc, error } = JSON.parse(body) as Partial<RpcAnswer>
        expect(jsonrpc).toBe(path === '/rpc' ? '2.0' : undefined)
        expect(error?.message).toMatch(/request URL|does not answer/)
      }
      expect(lines.filter((line) => /"status":40[03]/.test(line))).toHaveLength(2)
    },
  )

  it('accept addresses but no other names if the server listens on all interfaces', () => {
    const trust = { hosts: new Set(['localhost']), anyAddress: true, origins: new Set<string>() }
    expect(() => checkHost('10.1.2.3:8080', trust)).not.toThrow()
    expect(() => checkHost('[fe80::1]:8080', trust)).not.toThrow()
    expect(() => checkHost('evil.example:8080', trust)).toThrow(/does not answer/)
  })

  it('reject pages of other sites and accept same-origin pages and programs', async () => {
    const server = await startTestServer()
    const { host } = new URL(server.url)
    expect(await requestWithHost(server, { origin: server.url, host })).toBe(200)
    const others = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://localhost:3000' },
      { 'sec-fetch-site': 'cross-site' },
      // Another port of this host.
      { 'sec-fetch-site': 'same-site' },
    ]
    for (const headers of others)
      expect(await requestWithHost(server, { host, ...(headers as object) })).toBe(403)
  })

  it('add no CORS headers unless an origin is allowed', async () => {
    const origin = 'https://app.example.com'
    const closed = await startTestServer()
    const refused = await closed.fetch('/rpc', { method: 'OPTIONS', headers: { origin } })
    expect(refused.status).toBe(403)
    expect([...refused.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual(
      [],
    )
    const open = await startTestServer({ allowedOrigins: [origin], tokens: tokens() })
    const preflight = await open.fetch('/rpc', { method: 'OPTIONS', headers: { origin } })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin)
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization')
    const answer = await open.post(call, { origin, authorization: `Bearer ${ALICE}` })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
    const other = await open.post(call, {
      origin: 'https://app.example.com.evil',
      authorization: `Bearer ${ALICE}`,
    })
    expect(other.status).toBe(403)
  })

  it('reject a wildcard as an allowed origin', async () => {
    await expect(startTestServer({ allowedOrigins: ['*'] })).rejects.toThrow(
      /not a valid web origin/,
    )
  })
})

describe('server access', () => {
  it('requires a token on every path except health checks', async () => {
    const server = await startTestServer({ tokens: tokens() })
    for (const path of [
      '/rpc',
      '/blobs/x',
      '/metrics',
      '/openrpc.json',
      '/.well-known/agent-skills/index.json',
      '/nothing',
    ]) {
      const response = await server.fetch(path)
      expect(response.status, path).toBe(401)
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/)
    }
    const refused = await server.post(call)
    expect(refused.status).toBe(401)
    expect(await refused.json()).toMatchObject({ id: null, error: { code: -32001 } })
    for (const path of ['/healthz', '/readyz']) expect((await server.fetch(path)).status).toBe(200)
  })

  it('compares tokens exactly', async () => {
    const server = await startTestServer({ tokens: tokens() })
    const status = async (authorization: string) =>
      (await server.post(call, { authorization })).status
    expect(await status(`Bearer ${ALICE}`)).toBe(200)
    expect(await status(`bearer ${ALICE}`)).toBe(200)
    for (const wrong of [
      ALICE,
      `Basic ${ALICE}`,
      `Bearer ${ALICE}x`,
      `Bearer ${ALICE.slice(0, -1)}`,
      'Bearer',
      'Bearer alice',
    ]) {
      expect(await status(wrong), wrong).toBe(401)
    }
  })

  it('limits a token to its scopes', async () => {
    const server = await startTestServer({ tokens: tokens() })
    const headers = { authorization: `Bearer ${READER}` }
    const code = async (method: string, params: object) => {
      const response = await server.post({ jsonrpc: '2.0', id: 1, method, params }, headers)
      expect(response.status).toBe(200)
      return ((await response.json()) as { error?: { code: number } }).error?.code
    }
    expect(await code('list_skills', {})).toBeUndefined()
    expect(await code('run_code', { language: 'python', code: '' })).toBe(-32002)
    expect(await code('execute_skill', { name: 'x' })).toBe(-32002)
    expect(await code('create_blob', { content: '', kind: 'text/plain' })).toBe(-32002)
    expect(await code('create_skill', {})).toBe(-32002)
    const put = await server.fetch('/blobs', { method: 'PUT', body: 'x', headers })
    expect(put.status).toBe(403)
    expect((await server.fetch('/runs/run_x/events', { headers })).status).toBe(403)
  })

  it('limits the rate of each token and counts each call of a batch', async () => {
    const server = await startTestServer({
      tokens: tokens(),
      settings: { 'serve.calls_per_second': 2 },
    })
    const batch = Array.from({ length: 6 }, () => call)
    const send = async (token: string) => {
      const response = await server.post(batch, { authorization: `Bearer ${token}` })
      return (await response.json()) as {
        error?: { code: number; data: { retry_after_ms: number } }
      }[]
    }
    const refused = (await send(ALICE)).filter((each) => each.error)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused[0]?.error?.code).toBe(-32003)
    expect(refused[0]?.error?.data.retry_after_ms).toBeGreaterThan(0)
    expect((await send(READER)).filter((each) => !each.error).length).toBeGreaterThanOrEqual(4)
  })

  it.each([
    ['', /contains no token/],
    ['short alice', /line 1 of "f".*16/],
    [`${ALICE} a read,fly`, /Unknown scope "fly"/],
    [`${ALICE} a read more`, /token name scopes/],
    [`${ALICE} a\n${READER} a`, /already used/],
    [`${ALICE} token-2\n${READER}`, /"token-2" in line 2 of "f" is already used/],
    [`${ALICE} a read\n${ALICE} b`, /line 2 of "f" repeats that of another line/],
  ])('rejects a token file with %j', (text, message) => {
    expect(() => parseTokens(text, 'f')).toThrow(message)
  })

  it('never reveals a rejected token in an error', () => {
    expect(() => parseTokens('sh0rt', 'f')).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('sh0rt') }),
    )
    expect(() => singleToken('sh0rt')).toThrow(/SKILLS_TOKEN/)
  })

  it.each(['http://skills.internal', 'skills.internal:8080', 'a b', '', '*', 'x/y'])(
    'rejects %j as an allowed host',
    async (host) => {
      await expect(startTestServer({ allowedHosts: [host] })).rejects.toThrow(
        /not a valid host name/,
      )
    },
  )

  it('accepts an address with or without brackets and a name in any case, but no empty host', async () => {
    for (const host of ['[::1]', '::1', 'LOCALHOST', 'localhost.']) {
      const { url } = await startTestServer({ host, allowedHosts: ['[::1]', 'Skills.Internal.'] })
      expect((await fetch(`${url}/healthz`)).status).toBe(200)
    }
    await expect(startTestServer({ host: '' })).rejects.toThrow(/Expected an address/)
  })

  it('requires a token to listen on other addresses', async () => {
    await expect(startTestServer({ host: '0.0.0.0' })).rejects.toThrow(/requires a token/)
    await expect(startTestServer({ host: '::' })).rejects.toThrow(/requires a token/)
    const open = await startTestServer({ host: '0.0.0.0', noAuth: true })
    expect((await fetch(`${open.url.replace('0.0.0.0', '127.0.0.1')}/healthz`)).status).toBe(200)
  })
})
