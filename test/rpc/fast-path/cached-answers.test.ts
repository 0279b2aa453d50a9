import { rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { RpcCall, RpcHooks } from '../../../src/rpc/rpc.ts'
import { createTestApp } from '../../helpers/app.ts'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { writeTree } from '../../helpers/skills.ts'

const NAMES = ['demo.greet', 'demo.tools.sort', 'other.greet']
const TREE = Object.assign(
  {},
  ...NAMES.map((name) => prefixPaths(`skills/${name}`, createActionSkill(name))),
) as Record<string, string>

const params = fc.record(
  {
    namespace: fc.constantFrom('', 'demo', 'demo.tools', 'dem', 'other', null, 5),
    detail: fc.constantFrom('names', 'summary', 'full', null),
    limit: fc.constantFrom(1, 2, 50, 500, 0, 501, 1.5, null, '2'),
    cursor: fc.constantFrom(null, '', 'x', cursorAfter('demo', 'demo.greet')),
    _meta: fc.constant({ any: ['thing'] }),
    unknown: fc.constant(1),
  },
  { requiredKeys: [] },
)
const ids = fc.oneof(fc.string({ unit: 'binary' }), fc.double(), fc.integer(), fc.constant(null))
const usual = fc.record(
  {
    jsonrpc: fc.constant('2.0'),
    id: ids,
    method: fc.constant('list_skills'),
    params: fc.oneof({ weight: 9, arbitrary: params }, fc.constant(null), fc.constant([])),
  },
  { requiredKeys: ['jsonrpc', 'id', 'method'] },
)
const unusual = fc.record(
  {
    jsonrpc: fc.constantFrom('2.0', '1.0', 2),
    id: fc.oneof(ids, fc.jsonValue()),
    method: fc.constantFrom('list_skills', 'LIST_SKILLS', 'describe_skill', 'rpc.discover', null),
    params: fc.oneof(params, fc.jsonValue()),
    __proto__: fc.jsonValue(),
  },
  { requiredKeys: [] },
)
const bodies = fc.oneof(
  { weight: 6, arbitrary: usual.map((each) => JSON.stringify(each)) },
  usual.map((each) => ` ${JSON.stringify(each, null, 2)}\n`),
  usual.map((each) => JSON.stringify(each).replace('"id"', '"id":7,"id"')),
  usual.map((each) => JSON.stringify(each).replace('list_skills', String.raw`list\u005fskills`)),
  usual.map((each) => JSON.stringify(each).slice(0, -1)),
  unusual.map((each) => JSON.stringify(each)),
  fc.array(fc.oneof(usual, unusual), { maxLength: 3 }).map((each) => JSON.stringify(each)),
  fc.constant('{"jsonrpc":"2.0","id":12345678901234567890,"method":"list_skills"}'),
  fc.json().map((text) => `${text} "list_skills"`),
)

function cursorAfter(namespace: string, name: string): string {
  return Buffer.from(JSON.stringify([namespace, name, '0.1.0'])).toString('base64url')
}

/** Admits everything and records the hooks of each call. */
function createRecordingHooks(): RpcHooks & { calls: RpcCall[] } {
  const calls: RpcCall[] = []
  return {
    calls,
    around: async (call, work) => {
      calls.push(call)
      return await work()
    },
    onRefused: () => {},
    admit: async (_, work) => await work({ env: {}, cwd: '/' }),
  }
}

it('a cached response equals the one of the general path', async () => {
  const [fast, general] = [
    (await createTestApp(TREE, {}, { fastPaths: true })).context.rpc,
    (await createTestApp(TREE, {}, { fastPaths: false })).context.rpc,
  ]
  let answered = 0
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      const hooks = createRecordingHooks()
      const expected = await general.handle(body, hooks)
      expect(general.findCached(body)).toBeUndefined()
      // The first response is computed, the second one may be cached.
      const first = await fast.handle(body, createRecordingHooks())
      expect({ ...first, text: first.text?.toString() }).toEqual(expected)
      const cached = fast.findCached(body)
      if (!cached) return
      answered += 1
      expect(cached.start + cached.end.toString()).toBe(expected.text)
      const [recorded] = hooks.calls
      expect({ name: cached.name, id: cached.id, params: cached.params }).toEqual({
        name: recorded?.name,
        id: recorded?.id,
        params: recorded?.params,
      })
      expect(cached.method).toBe(recorded?.method)
    }),
    { numRuns: 1000 },
  )
  expect(answered).toBeGreaterThan(100)
})

it('a cached response is not used after skills were added or removed', async () => {
  const { context, runtime, dir } = await createTestApp(TREE, {}, { fastPaths: true })
  const body = '{"jsonrpc":"2.0","id":1,"method":"list_skills"}'
  const changes = [
    () => writeTree(dir, prefixPaths('skills/more', createActionSkill('demo.more'))),
    () => rmSync(join(dir, 'skills/more'), { recursive: true }),
  ]
  for (const change of changes) {
    await context.rpc.handle(body, createRecordingHooks())
    expect(context.rpc.findCached(body)).toBeDefined()
    change()
    await runtime.repository.refresh()
    expect(context.rpc.findCached(body)).toBeUndefined()
  }
})
