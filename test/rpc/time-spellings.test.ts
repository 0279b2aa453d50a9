import { expect, it } from 'vitest'
import { METHODS_BY_NAME } from '../../src/core/methods/index.ts'
import type { Method } from '../../src/core/methods/method.ts'
import { checkParams } from '../../src/rpc/check-params.ts'

const NEEDED: Readonly<Record<string, object>> = {
  execute_skill: { name: 'demo.greet' },
  run_code: { language: 'python', code: '' },
  'runtime.execute': { runtime: 'shell', code: '' },
  workspace_exec: { session: 's', command: 'true' },
  skill_run: { session: 's', skill: 'demo', command: 'true' },
}

function read(name: string, params: object): unknown {
  return checkParams(METHODS_BY_NAME.get(name) as Method, { ...NEEDED[name], ...params })
}

it.each([
  ['execute_skill', { timeout_ms: 2500 }],
  ['run_code', { limits: { timeout_ms: 2500 } }],
  ['runtime.execute', { timeoutMs: 2500 }],
  ['workspace_exec', { timeout: 2.5 }],
  ['skill_run', { timeout: 2.5 }],
])('%s takes a time limit by the name of each other method', (name, own) => {
  const spellings = [own, { timeout_ms: 2500 }, { timeoutMs: 2500 }, { timeout_seconds: 2.5 }]
  for (const each of spellings) expect(read(name, each)).toMatchObject(own)
  expect(read(name, { ...own, timeout_secs: 99 })).toMatchObject(own)
  expect(() => read(name, { timeout_secs: 'soon' })).toThrow('unknown parameter')
  expect(() => read(name, { timeout_weeks: 1 })).toThrow('unknown parameter')
})

it('other methods take none', () => {
  const list = METHODS_BY_NAME.get('list_skills') as Method
  expect(() => checkParams(list, { timeout_ms: 1 })).toThrow("unknown parameter 'timeout_ms'")
})
