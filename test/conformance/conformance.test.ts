// @module-tag slow
import { describe, expect, it } from 'vitest'
import { REQUIREMENTS } from '../../src/conformance/requirements/index.ts'
import { openConformanceSession } from '../../src/conformance/session.ts'
import { parseTokens } from '../../src/server/auth/tokens.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { IS_FULL } from '../helpers/matrix.ts'
import { startRawServer, sendJson, type RawRequest } from '../helpers/raw-server.ts'
import { startTestServer, type TestServer } from '../helpers/server.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'
import { BASIC_FAULTS } from './basic-faults.ts'
import { result, type Call, type Fault, type Message } from './fault.ts'
import { HIDDEN_FAULTS } from './hidden-faults.ts'

const FAULTS = { ...BASIC_FAULTS, ...HIDDEN_FAULTS }
const tree = prefixPaths('skills/greet', createActionSkill('demo.greet'))

interface Row {
  id: string
  verdict: 'passed' | 'failed' | 'untried'
  reason: string | null
}

const SLOW = { timeout: 120_000 }

const check = async (url: string, ...argv: readonly string[]) =>
  await runSkills(['conformance', '--url', url, ...argv])

async function checkRows(url: string, ...argv: readonly string[]): Promise<Row[]> {
  const { stdout, stderr } = await check(url, '--json', ...argv)
  expect(stderr).toBe('')
  return (JSON.parse(stdout) as { requirements: Row[] }).requirements
}

const listFailed = (all: readonly Row[]) =>
  all.flatMap(({ id, verdict }) => (verdict === 'failed' ? [id] : []))

describe('skills conformance', () => {
  it.each(IS_FULL ? [true, false] : [true])(
    'passes against skills serve, fast paths: %s',
    SLOW,
    async (fastPaths) => {
      const { url } = await startTestServer({ fastPaths })
      const first = await check(url, '--json', '--strict')
      const { requirements, counts, conforms } = first.json() as {
        requirements: Row[]
        counts: object
        conforms: boolean
      }
      expect(requirements.filter(({ verdict }) => verdict !== 'passed')).toEqual([])
      expect(requirements).toHaveLength(REQUIREMENTS.length)
      expect({ conforms, code: first.code }).toEqual({ conforms: true, code: 0 })
      expect(counts).toMatchObject({ must: { failed: 0 }, should: { failed: 0 } })
      const second = await checkRows(url)
      expect(second.filter(({ verdict }) => verdict !== 'passed')).toEqual([])
    },
  )

  it('has unique ids and lists prerequisites first', () => {
    const seen = new Set<string>()
    for (const { id, needs = [], text } of REQUIREMENTS) {
      expect(seen.has(id)).toBe(false)
      expect(text).toMatch(/^[A-Za-z].*[^.]$/)
      for (const need of needs) expect(seen, id).toContain(need)
      seen.add(id)
    }
  })

  it('sends a token and reports a rejected one', async () => {
    const tokens = parseTokens('0123456789abcdef alice\n', 'tokens.txt')
    const { url } = await startTestServer({ tokens })
    const cwd = createFolder({ 'token.txt': '0123456789abcdef\n' })
    const argv = ['conformance', '--url', url, '--only', 'list']
    expect((await runSkills([...argv, '--token-file', 'token.txt'], { cwd })).code).toBe(0)
    const refused = await runSkills(argv)
    expect(refused.code).toBe(3)
    expect(refused.stderr).toContain('SKILLS_TOKEN')
  })

  it('prints text, JUnit and selected requirements', async () => {
    const { url } = await startTestServer()
    const pretty = await check(url, '--only', 'blob/size', '--only', 'guide')
    expect(pretty.stdout).toContain('blob\n  ok        create_blob returns the size in bytes\n')
    expect(pretty.stdout).toContain(`${url}/rpc conforms; must: 4 of 4; should: 1 of 1\n`)
    expect(pretty.stdout).not.toContain('list_skills returns')
    const junit = await check(url, '--only', 'blob', '--format', 'junit')
    expect(junit.stdout).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites /)
    expect(junit.stdout).toContain('<testcase name="blob/size: create_blob')
    const list = await runSkills(['conformance', '--list', '--only', 'extension'])
    expect(list.code).toBe(0)
    expect(list.stdout.split('\n').every((line) => line === '' || line.includes('extension'))).toBe(
      true,
    )
  })

  it.each([
    [[], 2, /Missing the URL of the runtime/],
    [['--url', 'http://127.0.0.1:65534'], 3, /Cannot reach/],
    [['--url', 'http://127.0.0.1:65534', '--only', 'blobs'], 2, /Did you mean "blob"/],
    [['--url', 'http://127.0.0.1:65534', '--timeout', 'soon'], 2, /Expected a duration/],
    [['--url', 'http://127.0.0.1:65534', '--json', '--format', 'junit'], 2, /got both/],
  ])('rejects %j', async (argv, code, message) => {
    const done = await runSkills(['conformance', ...argv])
    expect(done.code).toBe(code)
    expect(done.stderr).toMatch(message)
  })

  it('reports what it found if the URL is not a runtime', async () => {
    const { url } = await startRawServer(
      (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    )
    const { code, stderr, stdout } = await check(url)
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toMatch(/No Skills Runtime at .* got HTTP status 200 with text\/html/)
    const slow = await startRawServer(() => {})
    expect((await check(slow.url, '--timeout', '200ms')).stderr).toContain('within 200 ms')
    const moved = await startRawServer(
      (_, response) => void response.writeHead(301, { location: 'https://example.org/' }).end(),
    )
    expect((await check(moved.url)).stderr).toContain('redirects to https://example.org/')
  })
})

/** A proxy that adds a fault to the real server. */
async function startFaultyProxy(real: TestServer, fault: Fault): Promise<string> {
  const { url } = await startRawServer(async (request, response) => {
    const call = parseBody(request.body) as Call | undefined
    if (fault.instead?.(request, response, call)) return
    const reply = await forwardRequest(real, request, call && fault.call?.(call))
    const bytes = Buffer.from(await reply.arrayBuffer())
    const answer = call && parseBody(bytes.toString('utf8'))
    const changed = answer && fault.answer?.(answer, call)
    const status = fault.status?.(reply.status, call) ?? reply.status
    response.writeHead(status, { 'content-type': chooseType(fault, call, reply) })
    response.end(changed ? JSON.stringify(changed) : bytes)
  })
  return url
}

// eslint-disable-next-line max-params -- the fault, the call and its response
function chooseType(fault: Fault, call: Call | undefined, { headers }: Response): string {
  const changed = call && fault.contentType?.(call)
  return changed ?? headers.get('content-type') ?? 'application/json'
}

/** Forwards a request, unchanged or with another call in it. */
async function forwardRequest(
  real: TestServer,
  { method, path, headers: given, bytes }: RawRequest,
  changed: Call | undefined,
): Promise<Response> {
  const names = ['content-type', 'accept', 'range'].filter((name) => name in given)
  const headers = Object.fromEntries(names.map((name) => [name, String(given[name])]))
  const body = changed ? JSON.stringify(changed) : new Uint8Array(bytes)
  return await real.fetch(path, { method, headers, ...(method === 'GET' ? {} : { body }) })
}

function parseBody(text: string): Message | undefined {
  try {
    const value = JSON.parse(text) as unknown
    const isOne = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isOne && 'jsonrpc' in value ? value : undefined
  } catch {
    return undefined
  }
}

/** Areas without runs, which are checked together. */
const QUICK_AREAS = ['rpc', 'list', 'describe', 'read-file', 'guide', 'blob']

describe('a conformance check', () => {
  it('passes a correct runtime behind the test proxy', SLOW, async () => {
    const all = await checkRows(await startFaultyProxy(await startTestServer(), { breaks: [] }))
    expect(all.filter(({ verdict }) => verdict !== 'passed')).toEqual([])
  })

  it.each(Object.entries(FAULTS))(
    'fails exactly the affected requirements if a runtime %s',
    { ...SLOW, tags: ['nightly'] },
    async (_, fault) => {
      const own = fault.breaks.map((id) => id.split('/')[0] as string)
      const areas = own.every((area) => QUICK_AREAS.includes(area)) ? QUICK_AREAS : own
      const argv = areas.flatMap((area) => ['--only', area])
      const server = await startTestServer({ tree: { ...tree, ...fault.skills } })
      if (fault.isCheckedBefore) await checkRows(server.url, '--only', 'create')
      const all = await checkRows(await startFaultyProxy(server, fault), ...argv)
      expect(listFailed(all)).toEqual(fault.breaks)
      const names = new Set(all.filter(({ verdict }) => verdict !== 'passed').map(({ id }) => id))
      for (const { id, verdict, reason } of all) {
        if (verdict !== 'untried') continue
        const isForNeed = REQUIREMENTS.find((each) => each.id === id)?.needs?.some((need) =>
          names.has(need),
        )
        expect(isForNeed || /create_skill|two skills/.test(reason ?? ''), `${id}: ${reason}`).toBe(
          true,
        )
      }
    },
  )

  it.each([
    [{ skills: [null] }, 'list/answer'],
    [{ skills: 5, skill: null, content: [], blob_id: {}, error: 'x' }, 'list/answer'],
    [{ skill: { manifest: null } }, 'describe/manifest'],
  ])('fails on the response %j and continues', async (wrong, broken) => {
    const url = await startFaultyProxy(await startTestServer({ tree }), {
      breaks: [],
      answer: result((given) =>
        Object.fromEntries(Object.entries(wrong).filter(([name]) => name in given)),
      ),
    })
    const all = await checkRows(url, ...QUICK_AREAS.flatMap((area) => ['--only', area]))
    expect(listFailed(all)).toContain(broken)
  })

  it('stops waiting for a runtime that is always busy', async () => {
    const { url, requests } = await startRawServer((_, response) => {
      const error = { code: -32003, message: 'Later', data: { retry_after_ms: 60 } }
      sendJson(response, { jsonrpc: '2.0', id: null, error })
    })
    const { signal } = new AbortController()
    const target = { url: new URL(url), token: undefined, timeoutMs: 10_000, signal }
    const session = openConformanceSession(target, 100)
    await session.call('list_skills')
    expect(requests).toHaveLength(2)
    await session.call('list_skills')
    expect(requests).toHaveLength(3)
  })

  it('fails a violated "should" requirement in strict mode only', async () => {
    const url = await startFaultyProxy(
      await startTestServer(),
      BASIC_FAULTS['ignores sample_tail'] as Fault,
    )
    expect((await check(url, '--only', 'blob')).code).toBe(0)
    expect((await check(url, '--only', 'blob', '--strict')).code).toBe(1)
    const lenient = await check(url, '--only', 'blob', '--format', 'junit')
    expect(lenient.stdout).toMatch(/failures="0">[\s\S]*<skipped message="Expected …/)
    const strict = await check(url, '--only', 'blob', '--format', 'junit', '--strict')
    expect(strict.stdout).toMatch(/failures="1">[\s\S]*<failure message="Expected …/)
  })
})
