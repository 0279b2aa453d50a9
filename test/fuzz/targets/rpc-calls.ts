import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '../../../src/core/config/load-config.ts'
import { METHODS } from '../../../src/core/methods/index.ts'
import { createRuntime } from '../../../src/core/runtime.ts'
import { createRpc, type Rpc, type RpcHooks } from '../../../src/rpc/rpc.ts'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { writeTree } from '../../helpers/skills.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { expectEqual, expectThat } from './expect.ts'
import { createTemporaryFolder } from './temporary-folder.ts'

const CODES = new Set([-32700, -32600, -32601, -32602, -32001, -32002, -32003, -32004, -32005])
const call = (method: string, params: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

/** Calls of all methods that start nothing: the fast path answers like the general one. */
export const target: FuzzTarget = {
  name: 'rpc-calls',
  format: 'json',
  seeds: [
    call('list_skills', { namespace: 'demo', detail: 'names', limit: 2 }),
    call('describe_skill', { name: 'demo.greet', version: '0.1.0' }),
    call('read_skill_file', { name: 'demo.greet', path: 'SKILL.md' }),
    call('read_blob', { blob_id: 'blob:00000000000000000000000000000000', mode: 'sample_head' }),
    call('create_blob', { content: 'a', kind: 'text/plain' }),
    call('skill.load', { session_id: 's', name: 'demo.greet' }),
    call('runtime.query_output', { artifact_handle: 'run_00000000000000000000', query: 'a' }),
    `[${call('list_skills', {})},${call('nothing', {})}]`,
  ],
  words: [
    'list_skills',
    'describe_skill',
    'rpc.discover',
    'demo.greet',
    'full',
    '../x',
    '2.0',
    '*',
  ],
  async open(isPlanted) {
    const [fast, general] = [await openRpc(true), await openRpc(false)]
    return async (input) => {
      const body = input.toString('utf8')
      if (MAY_START.test(body)) return
      const expected = await general.handle(body, HOOKS)
      const text = expected.text?.toString() ?? ''
      const first = await fast.handle(body, HOOKS)
      if (!MAKES_IDS.test(text)) expectEqual(first.text?.toString() ?? '', text, 'the answer')
      const cached = fast.findCached(body)
      const answer = cached && cached.start + cached.end.toString()
      // The planted bug: the fast path ignores a level of detail.
      const isWrong = isPlanted && cached !== undefined && /"detail"/.test(body)
      if (cached) expectEqual(isWrong ? `${answer} ` : answer, text, 'the cached answer')
      checkAnswer(text)
    }
  },
}

async function openRpc(fastPaths: boolean): Promise<Rpc> {
  const cwd = createTemporaryFolder()
  writeTree(cwd, prefixPaths('skills/demo.greet', createActionSkill('demo.greet')))
  const { config } = await loadConfig({ cwd, env: { HOME: cwd }, noFiles: true })
  const rpc = createRpc({
    runtime: createRuntime({ config, fastPaths }),
    methods: METHODS,
    privateFolders: [],
  })
  if (fastPaths) await waitForCache(rpc)
  return rpc
}

/** Nothing is cached while a later change of the files that were just written could be missed. */
async function waitForCache(rpc: Rpc): Promise<void> {
  const body = call('list_skills', {})
  while (rpc.findCached(body) === undefined) {
    await sleep(20)
    await rpc.handle(body, HOOKS)
  }
}

/** Methods that start sandboxes, or change skills. */
const MAY_START = /execute|run_code|exec|run"|create_skill|\\u/
const MAKES_IDS = /blob_id|expires|_at"|"time/

const HOOKS: RpcHooks = {
  around: async (_, work) => await work(),
  onRefused: () => {},
  admit: async (_, work) => await work({ env: {}, cwd: '/' }),
}

function checkAnswer(text: string): void {
  expectThat(!/\n\s+at |node:internal|node_modules/.test(text), 'an answer shows no stack')
  if (text === '') return
  for (const each of [JSON.parse(text) as unknown].flat()) {
    const { error } = each as { error?: { code: number } }
    if (error) expectThat(CODES.has(error.code), `${JSON.stringify(error)} has a documented code`)
  }
}
