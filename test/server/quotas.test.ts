import { describe, expect, it } from 'vitest'
import { parseTokens } from '../../src/server/auth/tokens.ts'
import type { QuotaResource } from '../../src/server/quotas/hourly-quotas.ts'
import { LocalUseCounter } from '../../src/server/quotas/use-counter.ts'
import { UsageQuotas } from '../../src/server/quotas/usage-quotas.ts'
import type { Caller } from '../../src/server/auth/caller.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { startTestServer, type RpcAnswer, type TestServer } from '../helpers/server.ts'

const MINUTE_MS = 60_000
const LIMITED = 'token-of-the-limited-caller'
const OTHER = 'token-of-the-other-caller'
const BUSY =
  'import time\ndef main(args):\n    end = time.process_time() + 0.3\n    while time.process_time() < end: pass\n    return 1\n'

function createCaller(name: string): Caller {
  return { name, scopes: new Set(), account: name }
}

function createQuotas(limit: number) {
  let ms = 0
  const refused: string[] = []
  const quotas = new UsageQuotas(
    { cpuMs: limit },
    { onUsed: () => {}, onRefused: ({ name }) => void refused.push(name) },
    new LocalUseCounter(() => ms),
  )
  const tryToUse = (caller: Caller, amount: number, resource: QuotaResource = 'cpuMs') => {
    try {
      quotas.require(caller, resource, amount)
      return 'allowed'
    } catch (error) {
      return (error as { data: { retry_after_ms?: number } }).data.retry_after_ms ?? 'never'
    }
  }
  return { quotas, refused, tryToUse, pass: (time: number) => (ms += time) }
}

describe('the quota of a caller', () => {
  it('is given back evenly over an hour', () => {
    const { quotas, tryToUse, pass, refused } = createQuotas(60)
    const caller = createCaller('a')
    expect(tryToUse(caller, 0)).toBe('allowed')
    quotas.charge(caller, 'cpuMs', 90)
    expect(tryToUse(caller, 0)).toBe(30 * MINUTE_MS)
    expect(tryToUse(createCaller('b'), 60)).toBe('allowed')
    pass(29 * MINUTE_MS)
    expect(tryToUse(caller, 0)).toBe(MINUTE_MS)
    pass(2 * MINUTE_MS)
    expect(tryToUse(caller, 0)).toBe('allowed')
    expect(tryToUse(caller, 2)).toBe(MINUTE_MS)
    expect(tryToUse(caller, 61)).toBe('never')
    expect(refused).toEqual(['a', 'a', 'a', 'a'])
  })

  it('does not exist for resources without a limit, and for the local caller', () => {
    const { quotas, tryToUse } = createQuotas(60)
    expect(tryToUse(createCaller('a'), 10 ** 9, 'blobBytes')).toBe('allowed')
    const local = { ...createCaller('a'), account: undefined }
    quotas.charge(local, 'cpuMs', 1000)
    expect(tryToUse(local, 1000)).toBe('allowed')
  })
})

describe('a server with quotas', () => {
  const tree = prefixPaths('skills/greet', createActionSkill('demo.greet'))
  const open = async (limits: string, settings = {}): Promise<TestServer> => {
    const tokens = parseTokens(`${LIMITED} limited read,write,run ${limits}\n${OTHER} other\n`, 't')
    return await startTestServer({ tree, tokens, settings })
  }
  const createCall =
    (server: TestServer) =>
    async (token: string, method: string, params: object): Promise<RpcAnswer> => {
      const headers = { authorization: `Bearer ${token}` }
      const response = await server.post({ jsonrpc: '2.0', id: 1, method, params }, headers)
      return (await response.json()) as RpcAnswer
    }
  const refusal = (resource: string) => ({
    error: { code: -32003, data: { kind: 'quota/exceeded', resource } },
  })

  it('refuses runs of a caller that used up its processor time, and no others', async () => {
    const call = createCall(await open('cpu=200ms'))
    const run = { language: 'python', code: BUSY }
    expect(await call(LIMITED, 'run_code', run)).toMatchObject({ result: { status: 'completed' } })
    expect(await call(LIMITED, 'run_code', run)).toMatchObject(refusal('cpuMs'))
    expect(await call(LIMITED, 'list_skills', {})).toMatchObject({ result: {} })
    expect(await call(OTHER, 'run_code', run)).toMatchObject({ result: { status: 'completed' } })
  })

  it('refuses blobs beyond the quota, on every way to store one', async () => {
    const server = await open('', { 'serve.quotas.blobs': '1KiB' })
    const call = createCall(server)
    const blob = (size: number) => ({ content: 'x'.repeat(size), kind: 'text/plain' })
    expect(await call(LIMITED, 'create_blob', blob(1000))).toMatchObject({ result: {} })
    const upload = async (token: string, body: string | ReadableStream) =>
      await fetch(`${server.url}/blobs`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'text/plain' },
        body,
        ...(body instanceof ReadableStream && { duplex: 'half' }),
      })
    const refused = await upload(LIMITED, 'y'.repeat(100))
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    const chunks = new Blob(['z'.repeat(100)]).stream()
    expect((await upload(LIMITED, chunks)).status).toBe(429)
    expect(await call(LIMITED, 'create_blob', blob(100))).toMatchObject({ result: {} })
    expect(await call(LIMITED, 'create_blob', blob(1))).toMatchObject(refusal('blobBytes'))
    expect((await upload(OTHER, 'y'.repeat(100))).status).toBe(201)
    const metrics = await (
      await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${OTHER}` } })
    ).text()
    expect(metrics).toContain(
      'skills_quota_refused_total{caller="limited",resource="blob_bytes"} 3',
    )
    expect(metrics).toContain('skills_caller_usage_total{caller="other",resource="blob_bytes"} 100')
  })

  it('refuses skills beyond the quota', async () => {
    const call = createCall(await open('skills=1'))
    const skill = (name: string) => ({
      manifest: { name, version: '1.0.0', description: 'A note.', kind: 'instruction' },
      skill_md: '# Note\n',
    })
    expect(await call(LIMITED, 'create_skill', skill('demo.one'))).toMatchObject({ result: {} })
    expect(await call(LIMITED, 'create_skill', skill('demo.two'))).toMatchObject(refusal('skills'))
    expect(await call(OTHER, 'create_skill', skill('demo.two'))).toMatchObject({ result: {} })
  })

  it('limits the rate and the concurrent runs of one token', async () => {
    const call = createCall(await open('rate=2 runs=1'))
    const codes = async (token: string) => {
      const answers = await Promise.all(
        Array.from({ length: 6 }, async () => await call(token, 'list_skills', {})),
      )
      return answers.filter(({ error }) => error?.['code'] === -32003).length
    }
    expect(await codes(LIMITED)).toBe(2)
    expect(await codes(OTHER)).toBe(0)
  })
})

describe('limits in a token file', () => {
  it('stand in any place after the token', () => {
    const line = `${LIMITED} cpu=10m alice runs=2 read,run blobs=1GiB rate=20 skills=3`
    const caller = parseTokens(line, 't').find(LIMITED)
    expect(caller).toMatchObject({ name: 'alice', limits: { runs: 2, callsPerSecond: 20 } })
    expect([...(caller?.scopes ?? [])]).toEqual(['read', 'run'])
    expect(caller?.limits?.quotas).toEqual({ cpuMs: 600_000, blobBytes: 1024 ** 3, skills: 3 })
  })

  it.each([
    ['cpus=1m', /did you mean "cpu"\?/],
    ['cpu=fast', /Expected a duration such as 10m for "cpu" in line 1 of "t"/],
    ['runs=0', /Expected a number such as 2 for "runs"/],
    ['blobs=1GiB blobs=2GiB', /"blobs" in line 1 of "t" is set twice/],
    ['runs=1=2', /Expected limits such as/],
  ])('are refused if they are wrong: %s', (limits, message) => {
    expect(() => parseTokens(`${LIMITED} alice read ${limits}`, 't')).toThrow(message)
  })
})
