import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/core/config/load-config.ts'
import { METHODS } from '../../src/core/methods/index.ts'
import { createRuntime } from '../../src/core/runtime.ts'
import { createRpc, type RpcHooks } from '../../src/rpc/rpc.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { INHERITED_ENV } from '../helpers/inherited-env.ts'
import { createFolder } from '../helpers/skills.ts'

const OPERATORS = new Set(METHODS.flatMap(({ name, scope }) => (scope === 'operate' ? [name] : [])))
const METHOD_NAMES = METHODS.map((each) => each.name)
const CODES = [-32700, -32600, -32601, -32602, -32002, -32003, -32004, -32005]

const strings = fc.constantFrom(
  'name',
  'version',
  'path',
  'detail',
  'limit',
  'cursor',
  'args',
  'code',
  'language',
  'limits',
  'manifest',
  'skill_md',
  'files',
  'content',
  'kind',
  'blob_id',
  'mode',
  'max_bytes',
  'input_blobs',
  'mount_skills',
  '_meta',
  '__proto__',
  'constructor',
)
const values = fc.oneof(
  fc.constantFrom(
    'demo.greet',
    '0.1.0',
    '../x',
    'SKILL.md',
    'full',
    'python',
    'blob:0',
    '\ud800',
    '',
    'text/plain',
    'base64',
  ),
  fc.jsonValue({ maxDepth: 3 }),
  fc.dictionary(strings, fc.jsonValue({ maxDepth: 2 })),
)
const call = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant('2.0') }, fc.jsonValue()),
    id: fc.oneof(fc.string(), fc.double(), fc.constant(null), fc.jsonValue()),
    method: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...METHOD_NAMES, 'rpc.discover') },
      fc.jsonValue(),
    ),
    params: fc.oneof({ weight: 5, arbitrary: fc.dictionary(strings, values) }, fc.jsonValue()),
  },
  { requiredKeys: [] },
)
const bodies = fc.oneof(
  call.map((each) => JSON.stringify(each)),
  fc.array(call, { maxLength: 5 }).map((each) => JSON.stringify(each)),
  fc.json(),
  fc.string({ unit: 'binary' }),
)

/** Admits everything except runs and methods of operators, which have tests of their own. */
const hooks: RpcHooks = {
  around: async (_, work) => await work(),
  onRefused: () => {},
  admit: async ({ name }, work) =>
    name === 'execute_skill' || name === 'run_code' || OPERATORS.has(name)
      ? { status: 'failed' }
      : await work({ env: {}, cwd: '/' }),
}

describe('any body', () => {
  it('gets a valid response and never an internal error', async () => {
    const cwd = createFolder(prefixPaths('skills/greet', createActionSkill('demo.greet')))
    const { config } = await loadConfig({
      cwd,
      env: { ...INHERITED_ENV, HOME: cwd },
      noFiles: true,
    })
    const rpc = createRpc({
      runtime: createRuntime({ config }),
      methods: METHODS,
      privateFolders: [cwd],
    })
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const text = (await rpc.handle(body, hooks)).text?.toString()
        if (text === undefined) return
        expect(text).not.toContain(cwd)
        const parsed = JSON.parse(text) as unknown
        for (const answer of Array.isArray(parsed) ? parsed : [parsed])
          checkAnswer(answer as Answer)
      }),
      { numRuns: 2000 },
    )
  })
})

interface Answer {
  jsonrpc: string
  id: unknown
  error?: { code: number; message: string; data?: { param?: string; reason?: string } }
}

function checkAnswer(answer: Answer): void {
  expect(answer.jsonrpc).toBe('2.0')
  expect(answer).toHaveProperty('id')
  expect('error' in answer).toBe(!('result' in answer))
  if (!answer.error) return
  expect(CODES).toContain(answer.error.code)
  expect(answer.error.message).not.toBe('')
  if (answer.error.code !== -32602) return
  expect(answer.error.data?.param).toBeTypeOf('string')
  expect(answer.error.data?.reason).toBeTypeOf('string')
}
