import { describe, expect, it } from 'vitest'
import { startTestServer } from '../helpers/server.ts'

const ERROR = {
  code: -32004,
  message: 'Expected at most 50000 values in a request, got more',
  data: {
    max_values: 50_000,
    hint: 'Pass such data as a blob, or as text',
    kind: 'http/too-large',
  },
}
const MCP_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}
const createCall = (values: number, padding: number) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'describe_skill',
  params: { name: 'no.such', _meta: { padding: 'x'.repeat(padding), list: Array(values).fill(1) } },
})

describe('the number of values in a request', () => {
  it.each([
    ['100 KB', 0],
    ['1 MB', 900_000],
  ])('is limited before a body of %s is parsed', async (_, bytes) => {
    const server = await startTestServer({ withMcp: {} })
    const post = async (body: object) => (await (await server.post(body)).json()) as object
    // Eight other values are in the envelope and the parameters.
    const [allowed, refused] = [49_992, 49_993].map((values) => createCall(values, bytes))
    expect(await post(allowed as object)).toMatchObject({ error: { code: -32602 } })
    expect(await post(refused as object)).toEqual({ jsonrpc: '2.0', id: null, error: ERROR })
    const batch = Array.from({ length: 10 }, () => createCall(5000, bytes / 10))
    expect(await post(batch.slice(0, 9))).toHaveLength(9)
    expect(await post(batch)).toEqual({ jsonrpc: '2.0', id: null, error: ERROR })
    const answer = await server.fetch('/mcp', {
      method: 'POST',
      headers: MCP_HEADERS,
      body: JSON.stringify(refused),
    })
    expect([answer.status, await answer.json()]).toEqual([
      413,
      { jsonrpc: '2.0', id: null, error: ERROR },
    ])
  })
})

describe('a list in a request', () => {
  it('is limited if each entry is work before a run starts', async () => {
    const server = await startTestServer()
    const code = { language: 'python', code: 'def main(args): return 1' }
    const names = (count: number, prefix: string) =>
      Array.from({ length: count }, (_, at) => `${prefix}${String(at).padStart(32, '0')}`)
    const command = { session: 's', command: 'true' }
    const toFile = (name: string) => ({ name, data: 'YQ==' })
    const toRecord = (count: number) =>
      Object.fromEntries(names(count, 'k').map((name) => [name, '1']))
    const manifest = { name: 'a.b', version: '1.0.0', kind: 'instruction' }
    const calls = [
      ['run_code', { ...code, mount_skills: names(1000, 's') }, /nknown skill|not found/],
      ['run_code', { ...code, mount_skills: names(1001, 's') }, /at most 1000 skills/],
      ['run_code', { ...code, input_blobs: names(10_000, 'blob:') }, /Unknown blob/],
      [
        'run_code',
        { ...code, input_blobs: names(10_001, 'blob:') },
        /'input_blobs': expected at most 10000 entries/,
      ],
      ['workspace_exec', { ...command, files: names(100, 'f').map(toFile) }, undefined],
      [
        'workspace_exec',
        { ...command, files: names(101, 'f').map(toFile) },
        /'files': .*at most 100\b/,
      ],
      [
        'workspace_exec',
        { ...command, env: toRecord(10_001) },
        /'env': expected at most 10000 entries/,
      ],
      [
        'skill_context',
        { session: 's', loads: [toRecord(10_001)] },
        /'loads.0': expected at most 10000 entries/,
      ],
      [
        'runtime.workflow',
        { steps: [{ method: 'runtime.execute', params: toRecord(101) }] },
        /'steps.0.params': expected at most 100 parameters/,
      ],
      [
        'create_skill',
        { skill_md: '# A', manifest: { ...manifest, description: 'x'.repeat(300_000) } },
        /at most 262144 bytes/,
      ],
    ] as const
    for (const [method, params, message] of calls) {
      const { error } = await server.call(method, params)
      if (message === undefined) {
        expect(error).toBeUndefined()
        continue
      }
      expect(error?.message).toMatch(message)
      expect(error?.code).toBe(-32602)
    }
  })
})
