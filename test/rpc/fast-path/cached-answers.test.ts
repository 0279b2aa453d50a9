import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { RpcCall, RpcHooks } from '../../../src/rpc/rpc.ts'
import { createTestApp } from '../../helpers/app.ts'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'

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
const odd = fc.record(
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
  odd.map((each) => JSON.stringify(each)),
  fc.array(fc.oneof(usual, odd), { maxLength: 3 }).map((each) => JSON.stringify(each)),
  fc.constant('{"jsonrpc":"2.0","id":12345678901234567890,"method":"list_skills"}'),
  fc.json().map((text) => `${text} "list_skills"`),
)

function cursorAfter(namespace: string, name: string): string {
  return Buffer.from(JSON.stringify([namespace, name, '0.1.0'])).toString('base64url')
}

/** Admits everything and records the hooks of each call. */
function notingDoor(): RpcHooks & { calls: RpcCall[] } {
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
    (await createTestApp(TREE, { fast_paths: true })).context.rpc,
    (await createTestApp(TREE, { fast_paths: false })).context.rpc,
  ]
  let taken = 0
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      const door = notingDoor()
      const expected = await general.handle(body, door)
      expect(general.findCached(body)).toBeUndefined()
      // The first response is computed, the second one may be cached.
      const first = await fast.handle(body, notingDoor())
      expect({ ...first, text: first.text?.toString() }).toEqual(expected)
      const kept = fast.findCached(body)
      if (!kept) return
      taken += 1
      expect(kept.start + kept.end.toString()).toBe(expected.text)
      const [told] = door.calls
      expect({ name: kept.name, id: kept.id, params: kept.params }).toEqual({
        name: told?.name,
        id: told?.id,
        params: told?.params,
      })
      expect(kept.method).toBe(told?.method)
    }),
    { numRuns: 1000 },
  )
  expect(taken).toBeGreaterThan(100)
})

it('a cached response is not used after skills were added or removed', async () => {
  const { context, runtime } = await createTestApp(TREE, { fast_paths: true })
  const body = '{"jsonrpc":"2.0","id":1,"method":"list_skills"}'
  await context.rpc.handle(body, notingDoor())
  expect(context.rpc.findCached(body)).toBeDefined()
  await runtime.repository.refresh()
  expect(context.rpc.findCached(body)).toBeUndefined()
})
