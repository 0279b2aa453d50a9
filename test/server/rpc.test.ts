import { describe, expect, it } from 'vitest'
import { METHODS } from '../../src/core/methods/index.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { startTestServer, type RpcAnswer } from '../helpers/server.ts'

const tree = prefixPaths('skills/greet', createActionSkill('demo.greet'))
const list = (id?: unknown) => ({
  jsonrpc: '2.0',
  method: 'list_skills',
  ...(id !== undefined && { id }),
})

describe('POST /rpc', () => {
  it('returns 200 and the id of the call unchanged', async () => {
    const server = await startTestServer({ tree })
    for (const id of ['1', '', 7, -1.5, 0, null]) {
      const response = await server.post(list(id))
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('application/json')
      const answer = (await response.json()) as RpcAnswer
      expect(Object.keys(answer)).toEqual(['jsonrpc', 'id', 'result'])
      expect(answer.id).toBe(id)
    }
  })

  it('returns 200 for an error and 400 for malformed JSON', async () => {
    const server = await startTestServer()
    expect((await server.post({ ...list(1), method: 'nope' })).status).toBe(200)
    const response = await server.post('{"jsonrpc"')
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32700 },
    })
  })

  it.each([
    [{ ...list(true) }, null],
    [{ ...list({}) }, null],
    [{ ...list([1]) }, null],
    ['{"jsonrpc":"2.0","id":12345678901234567890,"method":"list_skills"}', null],
    [{ ...list('a'), jsonrpc: '1.0' }, 'a'],
    [{ id: 'b', method: 'list_skills' }, 'b'],
    [{ jsonrpc: '2.0', id: 'c' }, 'c'],
    [{ jsonrpc: '2.0', id: 'd', method: 5 }, 'd'],
    ['"text"', null],
    ['null', null],
    ['5', null],
    ['[]', null],
    [
      `{"jsonrpc":"2.0","id":1,"method":"list_skills","params":${'['.repeat(99)}${']'.repeat(99)}}`,
      null,
    ],
  ])('returns -32600 for %j', async (body, id) => {
    const server = await startTestServer()
    const answer = (await (await server.post(body)).json()) as RpcAnswer
    expect(answer).toMatchObject({ jsonrpc: '2.0', id, error: { code: -32600 } })
  })

  it('executes a notification and returns 204 without a body', async () => {
    const server = await startTestServer()
    const skill = {
      manifest: {
        name: 'user.note',
        version: '1.0.0',
        description: 'A note.',
        kind: 'instruction',
      },
      skill_md: '# Note\n',
    }
    const response = await server.post({ jsonrpc: '2.0', method: 'create_skill', params: skill })
    expect(response.status).toBe(204)
    expect(await response.text()).toBe('')
    expect(await server.result('list_skills', { namespace: 'user' })).toMatchObject({
      skills: [{ name: 'user.note' }],
    })
    expect((await server.post({ jsonrpc: '2.0', method: 'no_such_method' })).status).toBe(204)
  })

  it('answers a batch in order, without its notifications', async () => {
    const server = await startTestServer({ tree })
    const run = (id: number, seconds: number) => ({
      jsonrpc: '2.0',
      id,
      method: 'run_code',
      params: {
        language: 'python',
        code: `import time\ndef main(a):\n  time.sleep(${seconds})\n  return ${id}`,
      },
    })
    const response = await server.post([
      run(1, 0.3),
      list(2),
      list(),
      1,
      { ...list(3), method: 'x' },
      run(4, 0),
    ])
    const answers = (await response.json()) as RpcAnswer[]
    expect(answers.map((each) => each.id)).toEqual([1, 2, null, 3, 4])
    expect(answers[0]?.result?.['output']).toBe(1)
    expect(answers[4]?.result?.['output']).toBe(4)
    expect((await server.post([list(), list()])).status).toBe(204)
  })

  it('accepts a batch of 100 calls, but not of 101', async () => {
    const server = await startTestServer()
    const batch = Array.from({ length: 101 }, (_, at) => list(at))
    const answers = (await (await server.post(batch.slice(1))).json()) as RpcAnswer[]
    expect(answers).toHaveLength(100)
    expect(await (await server.post(batch)).json()).toMatchObject({
      id: null,
      error: { code: -32600 },
    })
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    '',
  ])('returns 415 for Content-Type %j', async (type) => {
    const server = await startTestServer()
    const response = await fetch(`${server.url}/rpc`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: JSON.stringify(list(1)),
    })
    expect(response.status).toBe(415)
  })

  it('returns 415 for a compressed body', async () => {
    const server = await startTestServer()
    expect((await server.post(list(1), { 'content-encoding': 'gzip' })).status).toBe(415)
    const put = { method: 'PUT', body: 'x', headers: { 'content-encoding': 'gzip' } }
    expect((await server.fetch('/blobs', put)).status).toBe(415)
  })

  it.each(['GET', 'PUT', 'DELETE', 'HEAD', 'PATCH', 'OPTIONS'])(
    'returns 405 with Allow for %s',
    async (method) => {
      const server = await startTestServer()
      const response = await server.fetch('/rpc', { method })
      expect(response.status).toBe(405)
      expect(response.headers.get('allow')).toBe('POST')
    },
  )

  it('returns 404 as JSON for an unknown path', async () => {
    const server = await startTestServer()
    for (const path of ['/', '/rpcs', '/runs', '/blobs/x/y', '/../etc/passwd']) {
      const response = await server.fetch(path)
      expect(response.status).toBe(404)
      expect(await response.json()).toHaveProperty('error.code')
    }
  })

  it('returns 413 for a body over the limit, with or without Content-Length', async () => {
    const server = await startTestServer({ settings: { 'serve.max_body': '1KiB' } })
    const body = JSON.stringify({ ...list(1), pad: 'x'.repeat(2000) })
    expect((await server.post(body)).status).toBe(413)
    const chunks = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(body))
        controller.close()
      },
    })
    const init = {
      method: 'POST',
      body: chunks,
      duplex: 'half',
      headers: { 'content-type': 'application/json' },
    }
    const response = await server.fetch('/rpc', init as RequestInit)
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ error: { code: -32004 } })
  })

  it('rejects bytes that are not UTF-8', async () => {
    const server = await startTestServer()
    const body = Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":"'),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ])
    const response = await server.fetch('/rpc', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    expect(response.status).toBe(400)
  })
})

describe('parameters', () => {
  it.each([
    ['describe_skill', {}, "Invalid params: missing 'name'", { param: 'name', reason: 'required' }],
    ['describe_skill', { name: null }, "Invalid params: missing 'name'", { param: 'name' }],
    [
      'describe_skill',
      { name: 'foo.bar' },
      "Invalid params: skill 'foo.bar' not found",
      { param: 'name' },
    ],
    [
      'describe_skill',
      { name: 'demo.greet', version: '9.0.0' },
      /version '9\.0\.0'/,
      { param: 'version' },
    ],
    [
      'describe_skill',
      { nmae: 'x' },
      /unknown parameter 'nmae'.*'name'/,
      { param: 'nmae', hint: "Did you mean 'name'?" },
    ],
    ['describe_skill', { name: 5 }, /expected string, got 5/, { param: 'name' }],
    ['list_skills', { detail: 'all' }, /"names" or "summary", got "all"/, { param: 'detail' }],
    ['list_skills', { limit: 501 }, /at most 500, got 501/, { param: 'limit' }],
    ['list_skills', { limit: 1.5 }, /integer/, { param: 'limit' }],
    ['list_skills', { cursor: 'forged' }, /cursor/, { param: 'cursor' }],
    ['read_skill_file', { name: 'demo.greet', path: '../x' }, /leads out/, { param: 'path' }],
    ['read_skill_file', { name: 'demo.greet', path: '/etc/passwd' }, /absolute/, { param: 'path' }],
    ['read_skill_file', { name: 'demo.greet', path: 'nope' }, /no file "nope"/, { param: 'path' }],
    ['read_blob', { blob_id: 'blob:nope' }, /Unknown blob/, { param: 'blob_id' }],
    ['execute_skill', { name: 'demo.greet', timeout_ms: 0 }, /at least 1/, { param: 'timeout_ms' }],
    [
      'execute_skill',
      { name: 'demo.greet', timeout_ms: 600_001 },
      /timeout/,
      { param: 'timeout_ms' },
    ],
    ['execute_skill', { name: 'demo.greet', args: [1] }, /args/, { param: 'args' }],
    [
      'execute_skill',
      { name: 'demo.greet', input_blobs: ['blob:x'] },
      /blob/,
      { param: 'input_blobs' },
    ],
    ['execute_skill', { name: 'skills.protocol.guide' }, /instruction/, { param: 'name' }],
    ['run_code', { language: 'ruby', code: '' }, /"python" .*, got "ruby"/, { param: 'language' }],
    [
      'run_code',
      { language: 'python', code: '', limits: { timeout: 1 } },
      /'limits\.timeout'/,
      { param: 'limits.timeout' },
    ],
  ])('are validated: %s rejects %j', async (...[method, params, message, data]) => {
    const server = await startTestServer({ tree })
    const { error } = await server.call(method, params)
    expect(error?.code).toBe(-32602)
    if (typeof message === 'string') expect(error?.message).toBe(message)
    else expect(error?.message).toMatch(message)
    expect(error?.message).toMatch(/^Invalid params: /)
    expect(error?.data).toMatchObject(data)
    expect(error?.data).toHaveProperty('reason')
    expect(JSON.stringify(error)).not.toContain(server.dir)
  })

  it('are rejected as an array and may be missing or null', async () => {
    const server = await startTestServer({ tree })
    expect((await server.call('list_skills', [])).error?.code).toBe(-32602)
    const nothing = { jsonrpc: '2.0', id: 1, method: 'list_skills', params: null }
    expect((await (await server.post(nothing)).json()) as RpcAnswer).toHaveProperty('result')
    const nulls = { namespace: null, detail: null, limit: null, cursor: null, _meta: { any: 1 } }
    expect(await server.result('list_skills', nulls)).toHaveProperty('skills')
    const code = {
      language: 'python',
      code: 'def main(a):\n  return 1',
      limits: { timeout_ms: null },
    }
    expect(await server.result('run_code', code)).toMatchObject({ output: 1 })
  })

  it('with hostile keys are passed on as plain data', async () => {
    const server = await startTestServer({ tree })
    const body =
      '{"jsonrpc":"2.0","id":1,"method":"run_code","params":{"language":"python","code":"def main(a):\\n  return sorted(a)","args":{"__proto__":{"x":1},"constructor":2}}}'
    const { result } = (await (await server.post(body)).json()) as RpcAnswer
    expect(result?.['output']).toEqual(['__proto__', 'constructor'])
    const strange =
      '{"jsonrpc":"2.0","id":1,"method":"list_skills","params":{"__proto__":{"limit":1}}}'
    const answer = (await (await server.post(strange)).json()) as RpcAnswer
    expect(answer.error).toMatchObject({ code: -32602, data: { param: '__proto__' } })
  })

  it('may contain a lone surrogate', async () => {
    const server = await startTestServer({ tree })
    const body = String.raw`{"jsonrpc":"2.0","id":"\ud800","method":"describe_skill","params":{"name":"\udfff"}}`
    const answer = (await (await server.post(body)).json()) as RpcAnswer
    expect(answer).toMatchObject({ id: '\ud800', error: { code: -32602 } })
  })

  it('are truncated in error messages', async () => {
    const server = await startTestServer()
    const { error } = await server.call('describe_skill', { name: 'x'.repeat(1_000_000) })
    expect(error?.code).toBe(-32602)
    expect(JSON.stringify(error).length).toBeLessThan(5000)
  })

  it('of an unknown method lead to a suggestion of a similar name', async () => {
    const server = await startTestServer()
    expect((await server.call('list_skill')).error).toMatchObject({
      code: -32601,
      message: "Method not found: 'list_skill'",
      data: { hint: "Did you mean 'list_skills'?" },
    })
    for (const name of ['__proto__', 'constructor', 'toString', '']) {
      expect((await server.call(name)).error?.code).toBe(-32601)
    }
  })
})

describe('rpc.discover', () => {
  it('describes every method from its schema, like /openrpc.json', async () => {
    const server = await startTestServer()
    const document = (await server.result('rpc.discover')) as unknown as OpenRpc
    const names = METHODS.flatMap((each) => [each.name, ...(each.aliases ?? [])])
    expect(document.methods.map((each) => each.name).sort()).toEqual(
      [...names, 'rpc.discover'].sort(),
    )
    const read = document.methods.find((each) => each.name === 'read_skill_file')
    expect(read?.params).toMatchObject([
      { name: 'name', required: true, schema: { type: 'string' } },
      { name: 'path', required: true },
      { name: 'version', required: false },
    ])
    expect(await (await server.fetch('/openrpc.json')).json()).toEqual(document)
  })
})

interface OpenRpc {
  methods: { name: string; params: object[] }[]
}
