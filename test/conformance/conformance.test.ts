// @module-tag slow
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { REQUIREMENTS } from '../../src/conformance/requirements/index.ts'
import { openConformanceSession } from '../../src/conformance/session.ts'
import { parseTokens } from '../../src/server/auth/tokens.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { startRawServer, sendJson, type RawRequest } from '../helpers/raw-server.ts'
import { startTestServer, type TestServer } from '../helpers/server.ts'
import { createFolder, runSkills, type Tree } from '../helpers/skills.ts'

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
  it.each([true, false])('passes against skills serve, fast paths: %s', SLOW, async (fastPaths) => {
    const { url } = await startTestServer({ settings: { fast_paths: fastPaths } })
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
  })

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

interface Message {
  jsonrpc?: unknown
  id?: unknown
  result?: Record<string, unknown> | null
  error?: { code: number; message: string }
}

/** A call as it was sent. */
type Call = Message & { method: string; params: Record<string, unknown> }

/** One violation of the protocol, applied to the responses of a correct runtime. */
interface Fault {
  breaks: string[]
  /** Changes the response to a call. */
  answer?: (answer: Message, call: Call) => Message
  /** Changes a call before it is executed. */
  call?: (call: Call) => Call
  status?: (status: number, call: Call | undefined) => number
  contentType?: (call: Call) => string | undefined
  /** Set if the runtime was checked before, without the fault. */
  isCheckedBefore?: true
  /** Additional skills. */
  skills?: Tree
  /** Handles a request in place of the runtime; false if the fault does not apply to it. */
  instead?: (request: RawRequest, response: ServerResponse, call: Call | undefined) => boolean
}

const result =
  (change: (result: Record<string, unknown>, call: Call) => object | undefined) =>
  (answer: Message, call: Call): Message =>
    answer.result
      ? { ...answer, result: { ...answer.result, ...change(answer.result, call) } }
      : answer

const of = (
  method: string,
  change: (result: Record<string, unknown>, call: Call) => object | undefined,
) => result((given, call) => (call.method === method ? change(given, call) : undefined))

const ERROR = (code: number) => ({ code, message: 'No' })

const FAULTS: Record<string, Fault> = {
  'forgets the version': {
    breaks: ['rpc/version'],
    answer: ({ id, result: kept, error }) => ({
      id,
      ...(kept && { result: kept }),
      ...(error && { error }),
    }),
  },
  'converts every id to a string': {
    breaks: ['rpc/id'],
    answer: (answer) => ({ ...answer, id: String(answer.id) }),
  },
  'adds an empty error to results': {
    breaks: ['rpc/result-alone'],
    answer: (answer) => (answer.result ? { ...answer, error: null as never } : answer),
  },
  'adds an empty result to errors': {
    breaks: ['rpc/error-shape'],
    answer: (answer) => (answer.error ? { ...answer, result: null } : answer),
  },
  'answers errors with HTTP status 422': {
    breaks: ['rpc/error-status'],
    status: (status, call) => (call?.method === 'no_such_method' ? 422 : status),
  },
  'returns another code for unknown methods': {
    breaks: ['rpc/unknown-method'],
    answer: (answer, { method }) =>
      method === 'no_such_method' ? { ...answer, error: ERROR(-32000) } : answer,
  },
  'answers invalid JSON with 200': {
    breaks: ['rpc/not-json-status'],
    status: (status, call) => (call ? status : status === 400 ? 200 : status),
  },
  'returns another code for unknown skills': {
    breaks: ['describe/unknown'],
    answer: (answer, { method }) =>
      method === 'describe_skill' && answer.error?.message.includes('no.such')
        ? { ...answer, error: ERROR(404) }
        : answer,
  },
  'answers GET': {
    breaks: ['rpc/post-only'],
    instead: ({ method, path }, response) => {
      if (method !== 'GET' || path !== '/rpc') return false
      sendJson(response, { result: {} })
      return true
    },
  },
  'lists skills in any order': {
    breaks: ['list/repeatable'],
    answer: (() => {
      let count = 0
      return of('list_skills', ({ skills: listed }) =>
        (listed as object[]).length > 1 && ++count % 2 === 0
          ? { skills: (listed as object[]).toReversed() }
          : undefined,
      )
    })(),
  },
  'ignores limit': {
    breaks: ['list/limit'],
    call: (call) =>
      call.method === 'list_skills' && call.params['limit'] === 1
        ? { ...call, params: { ...call.params, limit: 50 } }
        : call,
  },
  'restarts every page': {
    breaks: ['list/pages'],
    call: (call) => {
      if (call.method !== 'list_skills') return call
      const { cursor: _, ...params } = call.params
      return { ...call, params }
    },
  },
  'ignores namespace': {
    breaks: ['list/namespace'],
    call: (call) => {
      if (call.method !== 'list_skills') return call
      const { namespace: _, ...params } = call.params
      return { ...call, params }
    },
  },
  'hides the guide': {
    breaks: ['list/guide'],
    answer: of('list_skills', ({ skills: listed }) => ({
      skills: (listed as { name: string }[]).map((each) =>
        each.name === 'skills.protocol.guide' ? { ...each, name: 'skills.protocol.other' } : each,
      ),
    })),
  },
  'omits the front matter': {
    breaks: ['describe/front-matter'],
    answer: of('describe_skill', ({ skill }) => {
      const { skill_md_frontmatter: _, ...rest } = skill as Record<string, unknown>
      return { skill: rest }
    }),
  },
  'reads files outside of a skill': {
    breaks: ['read-file/contained'],
    answer: (answer, { method, params }) =>
      method === 'read_skill_file' && String(params['path']).startsWith('%2e')
        ? { jsonrpc: '2.0', id: answer.id, result: { content: 'name = "other"' } }
        : answer,
  },
  'returns another guide': {
    breaks: ['guide/same'],
    answer: of('load_skills_protocol_guide', ({ content }) => ({
      content: `${String(content)}\n`,
    })),
  },
  'counts characters as bytes': {
    breaks: ['blob/size'],
    answer: of('create_blob', (_, { params }) => ({
      size_bytes: String(params['content']).length,
    })),
  },
  'loses the type of a blob': {
    breaks: ['blob/kind'],
    answer: of('read_blob', () => ({ kind: 'text/plain' })),
  },
  'never sets truncated': {
    breaks: ['blob/truncated'],
    answer: of('read_blob', () => ({ truncated: false })),
  },
  'ignores sample_tail': {
    breaks: ['blob/tail'],
    call: (call) =>
      call.params?.['mode'] === 'sample_tail'
        ? { ...call, params: { ...call.params, mode: 'sample_head' } }
        : call,
  },
  'returns exceptions as first-level errors': {
    breaks: ['run-code/exception', 'execute/failure'],
    answer: (answer) => {
      const { status, error } = (answer.result ?? {}) as {
        status?: string
        error?: { type: string }
      }
      const isException = status === 'failed' && error?.type === 'ValueError'
      return isException ? { jsonrpc: '2.0', id: answer.id, error: ERROR(-32000) } : answer
    },
  },
  'returns "failed" without an error': {
    breaks: ['run-code/error-fields'],
    answer: of('run_code', ({ status }) => (status === 'failed' ? { error: {} } : undefined)),
  },
  'gives every run the same id': {
    breaks: ['run-code/run-id'],
    answer: result(({ run_id: id }) => (id === undefined ? undefined : { run_id: 'run_1' })),
  },
  'drops standard error': {
    breaks: ['run-code/logs'],
    answer: of('run_code', ({ logs_preview: logs }) => ({
      logs_preview: String(logs).replace('said-err\n', ''),
    })),
  },
  'returns all logs': {
    breaks: ['run-code/logs-short'],
    answer: of('run_code', ({ logs_preview: logs }) =>
      String(logs).length > 1000 ? { logs_preview: 'x'.repeat(5000) } : undefined,
    ),
  },
  'returns a large output completely': {
    breaks: ['run-code/output-small'],
    answer: of('run_code', ({ output }) =>
      (output as { truncated?: boolean } | null)?.truncated
        ? { output: { text: 'x'.repeat(20_000) } }
        : undefined,
    ),
  },
  'ignores time limits': {
    breaks: ['run-code/timeout'],
    answer: (answer, { params, method }) =>
      method === 'run_code' && params['limits']
        ? {
            jsonrpc: '2.0',
            id: answer.id,
            result: { status: 'completed', run_id: 'r', summary: 's' },
          }
        : answer,
  },
  'ignores the entrypoint': {
    breaks: ['run-code/entrypoint'],
    call: (call) => {
      if (call.method !== 'run_code') return call
      const { entrypoint: _, ...params } = call.params
      return { ...call, params }
    },
  },
  'runs code as root': {
    breaks: ['sandbox/user'],
    answer: of('run_code', (_, { params }) =>
      String(params['code']).includes('geteuid') ? { output: 0 } : undefined,
    ),
  },
  'lets code reach the network': {
    breaks: ['sandbox/network'],
    answer: of('run_code', (_, { params }) =>
      String(params['code']).includes('create_connection') ? { output: 'reached' } : undefined,
    ),
  },
  'exposes secrets to every run': {
    breaks: ['sandbox/secrets'],
    answer: of('run_code', (_, { params }) =>
      String(params['code']).includes('os.environ') ? { output: ['API_KEY'] } : undefined,
    ),
  },
  'omits output_blobs': {
    breaks: ['helpers/output-blobs'],
    answer: of('run_code', () => ({ output_blobs: [] })),
  },
  'stores no created skill, after it was checked before': {
    breaks: ['create/persisted'],
    isCheckedBefore: true,
    instead: (_, response, call) => {
      const { manifest, files } = (call?.params ?? {}) as {
        manifest?: { name?: string; version?: string }
        files?: { path: string }[]
      }
      if (call?.method !== 'create_skill' || manifest?.name === undefined) return false
      if (files?.some(({ path }) => path.includes('..'))) return false
      const { name, version } = manifest
      sendJson(response, { jsonrpc: '2.0', id: call.id, result: { name, version } })
      return true
    },
  },
  'adds an empty error to the results of some methods': {
    breaks: ['responses/envelope'],
    answer: (answer, { method }) =>
      answer.result && method === 'create_blob' ? { ...answer, error: null as never } : answer,
  },
  'answers runs as HTML': {
    breaks: ['responses/content-type'],
    contentType: ({ method }) => (method === 'run_code' ? 'text/html' : undefined),
  },
  'answers runs without an id': {
    breaks: ['responses/envelope'],
    answer: (answer, { method }) => (method === 'run_code' ? { ...answer, id: null } : answer),
  },
  'answers runs with JSON-RPC 1.0': {
    breaks: ['responses/envelope'],
    answer: (answer, { method }) =>
      method === 'run_code' ? { ...answer, jsonrpc: '1.0' } : answer,
  },
  'returns texts as error codes': {
    breaks: ['responses/envelope'],
    answer: (answer, { method }) =>
      answer.error && method === 'create_skill'
        ? { ...answer, error: { ...answer.error, code: 'INVALID' as never } }
        : answer,
  },
  'loses the resources of created skills': {
    breaks: ['create/persisted'],
    answer: (answer, { method, params }) =>
      method === 'read_skill_file' && String(params['path']).startsWith('resources/deep')
        ? { jsonrpc: '2.0', id: answer.id, error: ERROR(-32602) }
        : answer,
  },
  'changes line ends of created files': {
    breaks: ['create/persisted'],
    answer: of('read_skill_file', ({ content }) => ({
      content: String(content).replaceAll('\r\n', '\n'),
    })),
  },
  'mounts skills without their resources': {
    breaks: ['execute/own-files'],
    answer: of('execute_skill', ({ output }, { params }) => {
      if ((params['args'] as { do?: unknown } | undefined)?.do !== 'files') return undefined
      const files = Object.entries(output as Record<string, unknown>)
      const kept = files.filter(([path]) => !path.startsWith('resources/'))
      return { output: Object.fromEntries(kept) }
    }),
  },
  'does not list created skills': {
    breaks: ['create/listed'],
    answer: of('list_skills', ({ skills: listed }) => ({
      skills: (listed as { name: string }[]).filter(({ name }) => !name.startsWith('conformance')),
    })),
  },
  'accepts every spelling of a language': {
    breaks: ['run-code/language'],
    call: (call) =>
      call.method === 'run_code' && typeof call.params['language'] === 'string'
        ? { ...call, params: { ...call.params, language: call.params['language'].toLowerCase() } }
        : call,
  },
  'runs Ruby as Python': {
    breaks: ['run-code/language'],
    call: (call) =>
      call.method === 'run_code' && call.params['language'] === 'ruby'
        ? { ...call, params: { ...call.params, language: 'python' } }
        : call,
  },
  'runs code without a language as Python': {
    breaks: ['run-code/language'],
    call: (call) =>
      call.method === 'run_code' && call.params['language'] === ''
        ? { ...call, params: { ...call.params, language: 'python' } }
        : call,
  },
  'refuses a language that it declares': {
    breaks: ['run-code/declared-languages'],
    answer: (answer, { method, params }) =>
      method === 'run_code' && params['language'] === 'node'
        ? { jsonrpc: '2.0', id: answer.id, error: ERROR(-32602) }
        : answer,
  },
  'fails every run with a time limit': {
    breaks: ['run-code/timeout'],
    answer: of('run_code', (_, { params }) =>
      params['limits']
        ? { status: 'failed', error: { type: 'Timeout', message: 'No' } }
        : undefined,
    ),
  },
  'fails every run of a skill with a time limit': {
    breaks: ['execute/timeout'],
    answer: of('execute_skill', (_, { params }) =>
      params['timeout_ms']
        ? { status: 'failed', error: { type: 'Timeout', message: 'No' } }
        : undefined,
    ),
  },
  'gives every run of a skill the same id': {
    breaks: ['execute/fields'],
    answer: of('execute_skill', () => ({ run_id: 'run_1' })),
  },
  'drops the logs of skills': {
    breaks: ['execute/logs'],
    answer: of('execute_skill', () => ({ logs_preview: '' })),
  },
  'omits the type of the error of a skill': {
    breaks: ['execute/failure'],
    answer: of('execute_skill', ({ error }) =>
      error ? { error: { message: (error as { message: string }).message } } : undefined,
    ),
  },
  'ignores max_bytes of samples': {
    breaks: ['blob/head', 'blob/tail'],
    call: (call) =>
      call.method === 'read_blob' && call.params['mode'] !== undefined
        ? { ...call, params: { ...call.params, max_bytes: 2000 } }
        : call,
  },
  'overwrites the last blob': {
    breaks: ['blob/separate'],
    ...(() => {
      let last: unknown
      return {
        answer: of('create_blob', ({ blob_id: id }) => {
          last = id
          return { blob_id: 'blob:the-only-one' }
        }),
        call: (call: Call) =>
          call.params?.['blob_id'] === 'blob:the-only-one'
            ? { ...call, params: { ...call.params, blob_id: last } }
            : call,
      }
    })(),
  },
  'describes another version than requested': {
    breaks: ['describe/version'],
    answer: of('describe_skill', ({ skill }, { params }) => {
      const { manifest } = skill as { manifest: object }
      if (params['version'] === undefined) return undefined
      return { skill: { ...(skill as object), manifest: { ...manifest, version: '9.9.9' } } }
    }),
  },
  'lists no skill of any namespace': {
    breaks: ['list/namespace'],
    answer: of('list_skills', (_, { params }) =>
      params['namespace'] ? { skills: [] } : undefined,
    ),
  },
  'loses a skill with a long name between pages': {
    breaks: ['list/pages'],
    skills: Object.assign(
      {},
      ...['a', 'b', 'c', 'd'].map((letter) =>
        prefixPaths(`skills/${letter}`, createActionSkill(`a.${letter.repeat(60)}`)),
      ),
    ) as Tree,
    answer: of('list_skills', ({ skills: listed }, { params }) =>
      params['limit'] === 1
        ? {
            skills: (listed as { name: string }[]).map((each) =>
              each.name.includes('cc') ? { ...each, name: 'a.other' } : each,
            ),
          }
        : undefined,
    ),
  },
  'reads files of a version that does not exist': {
    breaks: ['read-file/missing'],
    call: (call) => {
      if (call.method !== 'read_skill_file') return call
      const { version: _, ...params } = call.params
      return { ...call, params }
    },
  },
  'has no create_skill': {
    breaks: ['create/offered'],
    answer: (answer, { method }) =>
      method === 'create_skill' ? { jsonrpc: '2.0', id: answer.id, error: ERROR(-32601) } : answer,
  },
}

/** A proxy that adds a fault to the real server. */
async function startFaultyProxy(real: TestServer, fault: Fault): Promise<string> {
  const { url } = await startRawServer(async (request, response) => {
    const call = parseBody(request.body) as Call | undefined
    if (fault.instead?.(request, response, call)) return
    const reply = await forwardRequest(real, request, call && fault.call?.(call))
    const bytes = Buffer.from(await reply.arrayBuffer())
    const answer = call && parseBody(bytes.toString('utf8'))
    const changed = answer && fault.answer?.(answer, call)
    response.writeHead(fault.status?.(reply.status, call) ?? reply.status, {
      'content-type':
        (call && fault.contentType?.(call)) ??
        reply.headers.get('content-type') ??
        'application/json',
    })
    response.end(changed ? JSON.stringify(changed) : bytes)
  })
  return url
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
    SLOW,
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
      FAULTS['ignores sample_tail'] as Fault,
    )
    expect((await check(url, '--only', 'blob')).code).toBe(0)
    expect((await check(url, '--only', 'blob', '--strict')).code).toBe(1)
    const lenient = await check(url, '--only', 'blob', '--format', 'junit')
    expect(lenient.stdout).toMatch(/failures="0">[\s\S]*<skipped message="Expected …/)
    const strict = await check(url, '--only', 'blob', '--format', 'junit', '--strict')
    expect(strict.stdout).toMatch(/failures="1">[\s\S]*<failure message="Expected …/)
  })
})
