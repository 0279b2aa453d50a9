import { connect } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { jsonLog } from '../../../src/server/telemetry/request-log.ts'
import { parseTokens } from '../../../src/server/auth/tokens.ts'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { startTestServer, type RpcAnswer, type TestServer } from '../../helpers/server.ts'
import { writeTree } from '../../helpers/skills.ts'

const tree = prefixPaths('skills/greet', createActionSkill('demo.greet'))

/** Sends pieces one by one and returns the whole response without dates. */
async function send(server: TestServer, pieces: readonly (string | Buffer)[]): Promise<string> {
  return await new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => {
      const [first = '', ...rest] = pieces
      socket.write(first)
      for (const [at, piece] of rest.entries()) setTimeout(() => socket.write(piece), 40 * (at + 1))
    })
    socket.on('data', (chunk) => (text += String(chunk)))
    socket.on('error', reject)
    socket.on('close', () => resolve(withoutDates(text)))
  })
}

function withoutDates(text: string): string {
  const [head = '', ...body] = text.split('\r\n\r\n')
  const lines = head.split('\r\n').filter((line) => !/^date:/i.test(line))
  return [...lines.map((line) => line.toLowerCase()).sort(), ...body].join('\n')
}

const request = (body: string | Buffer, more = '') => {
  const head = `POST /rpc HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n`
  return [`${head}${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`, body] as const
}
const whole = (body: string | Buffer) => {
  const [head, rest] = request(body)
  return [Buffer.concat([Buffer.from(head), Buffer.from(rest)])]
}

describe('a plain call of /rpc', () => {
  const call = (method: string, params: object = {}, id: unknown = 1) =>
    JSON.stringify({ jsonrpc: '2.0', id, method, params })

  it.each([
    call('list_skills'),
    call('list_skills', {}, 'ü"\\\u2028'),
    call('list_skills', { limit: 0 }),
    call('describe_skill', { name: 'demo.greet', detail: 'full' }),
    call('execute_skill', { name: 'no.such' }),
    call('nope'),
    `[${call('list_skills')},${call('list_skills', { limit: 1 }, 2)}]`,
    '{"jsonrpc":"2.0","method":"list_skills"}',
    '{"jsonrpc"',
    Buffer.from([0x22, 0xff, 0x22]),
    '[]',
  ])('gets the same response in one chunk or several: %s', async (body) => {
    const server = await startTestServer({ tree })
    const [head, rest] = request(body)
    const short = await send(server, whole(body))
    expect(short).toMatch(/^(?:.*\n)*http\/1\.1 (?:200|204|400)/m)
    expect(await send(server, [head, rest])).toBe(short)
    const second = await send(server, [request(body, 'Accept: text/html\r\n')[0], rest])
    expect(second).toBe(short)
  })

  it('is rejected on both paths for an untrusted host, token or site', async () => {
    const server = await startTestServer({ tree })
    const body = call('list_skills')
    const [plain] = whole(body)
    const swap = (from: string, to: string) => [Buffer.from(String(plain).replace(from, to))]
    expect(await send(server, swap('Host: localhost', 'Host: evil.example'))).toContain(' 403 ')
    for (const more of ['Origin: https://evil.example', 'Sec-Fetch-Site: cross-site']) {
      const response = await send(server, swap('Connection', `${more}\r\nConnection`))
      expect(response, more).toContain(' 403 ')
    }
    const zipped = await send(server, swap('Connection', 'Content-Encoding: gzip\r\nConnection'))
    expect(zipped).toContain(' 415 ')
    expect(await send(server, swap('application/json', 'text/plain'))).toContain(' 415 ')
    expect(await send(server, whole(body))).toContain(' 200 ')
  })

  it('can follow another on the same connection before its response', async () => {
    const server = await startTestServer({ tree })
    const keep = (id: number) =>
      String(whole(call('list_skills', {}, id))[0]).replace('Connection: close\r\n', '')
    const last = String(whole(call('list_skills', {}, 3))[0])
    const text = await send(server, [Buffer.from(keep(1) + keep(2) + last)])
    expect([...text.matchAll(/"id":(\d)/g)].map((each) => each[1])).toEqual(['1', '2', '3'])
  })

  it('is answered from current skills after some were added or removed', async () => {
    const server = await startTestServer({ tree })
    const names = async () => {
      const { skills } = (await server.result('list_skills')) as { skills: { name: string }[] }
      return skills.map(({ name }) => name)
    }
    expect(await names()).toEqual(await names())
    await server.result('create_skill', {
      manifest: { name: 'demo.new', version: '1.0.0', description: 'New.', kind: 'instruction' },
      skill_md: '# New\n',
    })
    expect(await names()).toContain('demo.new')
    writeTree(server.dir, prefixPaths('skills/later', createActionSkill('demo.later')))
    await server.runtime.repository.refresh()
    expect(await names()).toContain('demo.later')
  })

  it('passes all checks even if its response is cached', async () => {
    const tokens = parseTokens(
      `${'r'.repeat(32)} reader read\n${'w'.repeat(32)} writer write\n`,
      'x',
    )
    const lines: { caller?: string; error?: string }[] = []
    const log = jsonLog((line) => lines.push(JSON.parse(line) as object))
    const settings = { 'serve.calls_per_second': 2 }
    const server = await startTestServer({ tree, tokens, log, settings })
    const as = async (letter: string) => {
      const authorization = `Bearer ${letter.repeat(32)}`
      const body = { jsonrpc: '2.0', id: 'ü', method: 'list_skills' }
      const response = await server.post(body, { authorization })
      return { status: response.status, body: (await response.json()) as RpcAnswer }
    }
    const first = await as('r')
    expect(first.body.result?.['skills']).toHaveLength(2)
    expect(await as('r')).toEqual(first)
    expect((await as('x')).status).toBe(401)
    expect((await as('w')).body).toMatchObject({ id: 'ü', error: { code: -32002 } })
    const refused = { id: 'ü', error: { code: -32003 } }
    let calls = 2
    // Quota is restored every second between calls.
    await vi.waitFor(
      async () => {
        calls += 1
        expect((await as('r')).body).toMatchObject(refused)
      },
      { timeout: 20_000, interval: 1 },
    )
    expect(lines.filter(({ caller }) => caller === 'reader')).toHaveLength(calls)
    expect(lines.map(({ error }) => error)).toContain('rate/exceeded')
    expect(lines.map(({ error }) => error)).toContain('auth/scope')
  })

  it('gets a response with its own id, in order, if many arrive at once', async () => {
    const server = await startTestServer({ tree })
    await server.result('list_skills')
    const keep = (id: number) =>
      String(whole(call('list_skills', {}, id))[0]).replace('Connection: close\r\n', '')
    const ids = Array.from({ length: 200 }, (_, at) => at)
    const last = String(whole(call('list_skills', {}, 200))[0])
    const text = await send(server, [Buffer.from(ids.map(keep).join('') + last)])
    const found = [...text.matchAll(/"id":(\d+)/g)].map((each) => Number(each[1]))
    expect(found).toEqual([...ids, 200])
  })
})
