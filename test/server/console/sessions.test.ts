import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseTokens } from '../../../src/server/auth/tokens.ts'
import { ConsoleSessions } from '../../../src/server/console/console-sessions.ts'
import { jsonLog } from '../../../src/server/telemetry/request-log.ts'
import type { SpanSink } from '../../../src/server/telemetry/spans.ts'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import type { ServerSetup, TestServer } from '../../helpers/server.ts'
import { startColdServer } from './start-cold-server.ts'

const FILE_TOKEN = 'alice-token-0123456789'
const HOUR_MS = 60 * 60 * 1000

/** A server that shows links, with the tokens of those links. */
async function startLinkedServer(setup: ServerSetup = {}) {
  const links: string[] = []
  const server = await startColdServer({
    tokens: parseTokens(`${FILE_TOKEN} alice\n`, 'tokens.txt'),
    showConsoleLink: (link) => void links.push(link),
    ...setup,
  })
  const lastToken = () => links.at(-1)?.split('#token=')[1] ?? ''
  return { server, links, lastToken }
}

async function exchange(
  server: TestServer,
  token: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; token: string; body: string }> {
  const answer = await server.fetch('/console/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ token }),
  })
  const body = await answer.text()
  return { status: answer.status, body, token: /"token":"([^"]+)"/.exec(body)?.[1] ?? '' }
}

async function listSkills(server: TestServer, token: string): Promise<number> {
  const call = { jsonrpc: '2.0', id: 1, method: 'list_skills' }
  return (await server.post(call, { authorization: `Bearer ${token}` })).status
}

describe('sessions of the console', () => {
  it('begin with the token of the last link, once', () => {
    const sessions = new ConsoleSessions()
    expect(sessions.exchange('')).toBeUndefined()
    const first = sessions.createLinkToken()
    const last = sessions.createLinkToken()
    expect(sessions.exchange(first)).toBeUndefined()
    expect(sessions.exchange(`${last}x`)).toBeUndefined()
    const token = sessions.exchange(last) ?? ''
    expect(sessions.exchange(last)).toBeUndefined()
    expect(sessions.find(last)).toBeUndefined()
    expect(sessions.find(token)).toMatchObject({ name: 'console', account: 'console' })
    expect([...(sessions.find(token)?.scopes ?? [])]).toEqual(['read', 'run', 'write', 'operate'])
    expect(new Set([first, last, token]).size).toBe(3)
    for (const each of [first, last, token]) expect(each).toMatch(/^[\w-]{43}$/)
  })

  it('end after twelve hours without a request', () => {
    let now = 0
    const sessions = new ConsoleSessions(() => now)
    const token = sessions.exchange(sessions.createLinkToken()) ?? ''
    now += 12 * HOUR_MS
    expect(sessions.find(token)).toBeDefined()
    now += 12 * HOUR_MS
    expect(sessions.find(token)).toBeDefined()
    now += 12 * HOUR_MS + 1
    expect(sessions.find(token)).toBeUndefined()
    now = 0
    expect(sessions.find(token)).toBeUndefined()
  })

  it('are at most sixteen: one more ends that without a request for the longest time', () => {
    const sessions = new ConsoleSessions()
    const open = () => sessions.exchange(sessions.createLinkToken()) ?? ''
    const tokens = Array.from({ length: 16 }, open)
    expect(sessions.find(tokens[0] ?? '')).toBeDefined()
    tokens.push(open())
    const isOpen = tokens.map((token) => sessions.find(token) !== undefined)
    expect(isOpen).toEqual([true, false, ...Array(15).fill(true)])
  })
})

describe('a link to the console', () => {
  it('opens a session that may do everything, and is followed by another link', async () => {
    const { server, links, lastToken } = await startLinkedServer()
    expect(links).toEqual([`${server.url}/console/#token=${lastToken()}`])
    const linkToken = lastToken()
    expect(await listSkills(server, linkToken)).toBe(401)
    const { status, token } = await exchange(server, linkToken)
    expect(status).toBe(200)
    expect(await listSkills(server, token)).toBe(200)
    expect(links).toHaveLength(2)
    expect(lastToken()).not.toBe(linkToken)
    expect((await exchange(server, lastToken())).status).toBe(200)
    expect(await listSkills(server, token)).toBe(200)
  })

  it('is refused when it was used, and ten exchanges at once have one winner', async () => {
    const { server, lastToken } = await startLinkedServer()
    const linkToken = lastToken()
    const answers = await Promise.all(Array.from({ length: 10 }, () => exchange(server, linkToken)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, token } of answers) {
      if (status !== 200) expect([401, 429]).toContain(status)
      if (status !== 200) expect(token).toBe('')
    }
  })

  it('can be guessed once a second only, and is accepted meanwhile', async () => {
    const { server, lastToken } = await startLinkedServer()
    const guesses = Array.from({ length: 30 }, (_, n) => exchange(server, `guess-${n}`))
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([401, 429]))
    expect((await exchange(server, lastToken())).status).toBe(200)
  })

  it('cannot be used by a page of another site, nor by one of a trusted origin', async () => {
    const trusted = 'https://app.example.com'
    const { server, lastToken } = await startLinkedServer({ allowedOrigins: [trusted] })
    const others: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://localhost:3000' },
      { origin: trusted },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-www-form-urlencoded' },
    ]
    for (const headers of others) {
      const { status, token } = await exchange(server, lastToken(), headers)
      expect([403, 415], JSON.stringify(headers)).toContain(status)
      expect(token).toBe('')
    }
    // The control: the same request from the page itself.
    const own = { origin: server.url, 'sec-fetch-site': 'same-origin' }
    expect((await exchange(server, lastToken(), own)).status).toBe(200)
  })

  it('needs a body with a token, by POST', async () => {
    const { server, lastToken } = await startLinkedServer()
    const send = async (method: string, body?: string) => {
      const headers = { 'content-type': 'application/json' }
      const init = { method, headers, ...(body !== undefined && { body }) }
      return (await server.fetch('/console/session', init)).status
    }
    for (const body of ['', '[]', 'null', '{}', '{"token":1}', '{"token":["x"]}', `"x"`])
      expect(await send('POST', body), body).toBe(400)
    expect(await send('POST', JSON.stringify({ token: 'x'.repeat(2000) }))).toBe(413)
    for (const method of ['GET', 'PUT', 'DELETE']) expect(await send(method)).toBe(405)
    const inAddress = await server.fetch(`/console/session?token=${lastToken()}`, {
      method: 'POST',
    })
    expect(inAddress.status).toBe(415)
    expect((await exchange(server, lastToken())).status).toBe(200)
  })

  it('exists only if it is shown, tokens are required and the console is served', async () => {
    const { links, server } = await startLinkedServer({ tokens: undefined })
    expect(links).toEqual([])
    expect((await exchange(server, 'x')).status).toBe(405)
    const off = await startLinkedServer({ console: false })
    expect(off.links).toEqual([])
    expect((await exchange(off.server, 'x')).status).toBe(401)
    const silent = await startLinkedServer({ showConsoleLink: undefined })
    expect((await exchange(silent.server, 'x')).status).toBe(401)
    const everywhere = await startLinkedServer({ host: '0.0.0.0' })
    expect(everywhere.links[0]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console\/#token=/)
  })

  it('and its sessions end with the server', async () => {
    const first = await startLinkedServer()
    const { token } = await exchange(first.server, first.lastToken())
    const unused = first.lastToken()
    const second = await startLinkedServer()
    expect(await listSkills(second.server, token)).toBe(401)
    expect((await exchange(second.server, unused)).status).toBe(401)
    expect(await listSkills(first.server, token)).toBe(200)
  })
})

it('tokens of links and sessions are in no log, span, metric, record or answer', async () => {
  const lines: string[] = []
  const spans: unknown[] = []
  const sink: SpanSink = { add: (call) => void spans.push(call), flush: async () => {} }
  const tree = prefixPaths('skills/greet', createActionSkill('demo.greet'))
  const { server, lastToken } = await startLinkedServer({
    tree,
    spans: sink,
    log: jsonLog((line) => void lines.push(line)),
  })
  const used = lastToken()
  const { token } = await exchange(server, used)
  await exchange(server, used)
  await exchange(server, 'a-wrong-token')
  const headers = { authorization: `Bearer ${token}` }
  const params = { name: 'demo.greet', args: { name: 'you' } }
  const call = { jsonrpc: '2.0', id: 1, method: 'execute_skill', params }
  const ran = await (await server.post(call, headers)).text()
  expect(ran).toContain('Hello, you')
  const metrics = await (await server.fetch('/metrics', { headers })).text()
  const files = listFiles(server.dir).map((file) => readFileSync(file, 'latin1'))
  // The control: the caller's name is where the tokens must not be.
  expect(lines.join('')).toContain('"caller":"console"')
  expect(files.join('\n')).toContain('"console"')
  expect(JSON.stringify(spans, skipCycles())).toContain('"console"')
  const everywhere = [...lines, JSON.stringify(spans, skipCycles()), ran, metrics, ...files].join(
    '\n',
  )
  for (const secret of [used, token, lastToken(), 'a-wrong-token'])
    expect(everywhere.includes(secret)).toBe(false)
})

it('no token of a file has the name of the console', () => {
  expect(() => parseTokens(`${FILE_TOKEN} console\n`, 'tokens.txt')).toThrow(
    'The name "console" in line 1 of "tokens.txt" is that of the console',
  )
  expect(() => parseTokens(`${FILE_TOKEN} consoles\n`, 'tokens.txt')).not.toThrow()
})

function listFiles(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((path) => join(dir, path))
    .filter((path) => lstatSync(path).isFile())
}

function skipCycles() {
  const seen = new Set<unknown>()
  return (_key: string, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value
    if (seen.has(value)) return undefined
    seen.add(value)
    return value
  }
}
