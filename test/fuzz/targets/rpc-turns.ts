import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../../../src/core/config/load-config.ts'
import { METHODS } from '../../../src/core/methods/index.ts'
import { createRuntime } from '../../../src/core/runtime.ts'
import { createRpc, type Rpc, type RpcHooks } from '../../../src/rpc/rpc.ts'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { writeTree } from '../../helpers/skills.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { expectThat } from './expect.ts'
import { createTemporaryFolder } from './temporary-folder.ts'

/** Longest turn of the event loop. Usual turns take 1 ms; the rest is for a busy machine. */
const MAX_TURN_MS = 250
/** The shortest of these counts: what else the machine does makes some of them longer. */
const TRIES = 4
/** Characters of a body after its texts and lists have grown. */
const MAX_BODY = 1024 * 1024

/** `grow`: how often each list of the parameters, and each text that `~` begins, is repeated. */
const call = (method: string, params: object, grow = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params, grow })
const session = { session: 's' }

/** Calls with large and hostile parameters: none keeps others waiting. */
export const target: FuzzTarget = {
  name: 'rpc-turns',
  format: 'json',
  seeds: [
    call('workspace_list', { ...session, pattern: 'work/**/d/**/d/**/d/**/d/x' }),
    call('workspace_list', { ...session, pattern: 'work/**/{d,d/d}/**/*d*d*x', path: '' }),
    call('workspace_list', { ...session, pattern: '~{d,' }, 300),
    call('workspace_list', { ...session, pattern: '~*d' }, 300),
    call('workspace_list', { ...session, depth: 20 }),
    call('workspace_read', { ...session, ref: '~workspace://work/d' }, 100),
    call('workspace_write', { ...session, path: 'work/a.txt', content: '~a\n' }, 5000),
    call(
      'workspace_replace',
      { ...session, path: 'work/a.txt', old_text: '~a', new_text: '~b' },
      100,
    ),
    call('search_skills', { query: '~de ' }, 100),
    call('list_skills', { namespace: '~demo.' }, 1000),
    call('lint_skill', { name: 'demo.greet' }),
    call('describe_skill', { name: '~demo.' }, 1000),
    call('check_policy', { environment: ['A'], network: ['https://a.b'] }, 900),
    call('check_policy', { language: 'python', executable: '~/a' }, 2000),
    call('create_blob', { content: '~<a[', kind: 'text/html' }, 5000),
    call('list_run_history', { text: '~a.*' }, 300),
    call('list_audit_records', { skill: '~demo.' }, 300),
    call('verify_audit_log', { anchors: [{ seq: 1, hash: 'a'.repeat(64) }] }, 1000),
    call('workspace_add_files', { ...session, files: [{ name: 'a', data: 'YQ==' }] }, 100),
  ],
  words: ['**/', '*', '{', ',', '}', 'd', '../', '[a-', '(a+)+', '\u001b[', '<', '%', '\\', '1000'],
  async open(isPlanted) {
    const rpc = await openRpc()
    return async (input) => {
      const body = growBody(input.toString('utf8'))
      if (body === undefined || MAY_START.test(body)) return
      let shortest = Infinity
      for (let left = TRIES; left > 0 && shortest > MAX_TURN_MS; left--) {
        const longest = await measureLongestTurn(async () => {
          // The planted bug: a pattern is matched by trying all ways at once.
          if (isPlanted && body.includes('**/')) waitBusily(2 * MAX_TURN_MS)
          await rpc.handle(body, HOOKS)
        })
        shortest = Math.min(shortest, longest)
      }
      expectThat(
        shortest <= MAX_TURN_MS,
        `a turn of the event loop took ${Math.round(shortest)} ms`,
      )
    }
  },
}

/** Repeats texts and lists; undefined if it is no call. */
function growBody(text: string): string | undefined {
  try {
    const { grow = 1, params, ...rest } = JSON.parse(text) as { grow?: unknown; params?: unknown }
    const times = Math.max(1, Math.min(Number(grow) || 1, 5000))
    const room = Math.floor(MAX_BODY / Math.max(1, text.length))
    const grown = growValue(params, Math.min(times, room))
    return JSON.stringify({ ...rest, params: grown })
  } catch {
    return undefined
  }
}

function growValue(value: unknown, times: number): unknown {
  if (typeof value === 'string') return value.startsWith('~') ? value.slice(1).repeat(times) : value
  if (Array.isArray(value)) return Array.from({ length: times }, () => value as unknown[]).flat()
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, growValue(each, times)]),
  )
}

async function measureLongestTurn(work: () => Promise<unknown>): Promise<number> {
  let [longest, last, isOver] = [0, performance.now(), false]
  const note = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    if (!isOver) setImmediate(note)
  }
  setImmediate(note)
  await work()
  isOver = true
  note()
  return longest
}

function waitBusily(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

async function openRpc(): Promise<Rpc> {
  const cwd = createTemporaryFolder()
  writeTree(cwd, prefixPaths('skills/demo.greet', createActionSkill('demo.greet')))
  const { config } = await loadConfig({ cwd, env: { HOME: cwd }, noFiles: true })
  const rpc = createRpc({
    runtime: createRuntime({ config }),
    methods: METHODS,
    privateFolders: [],
  })
  await rpc.handle(call('workspace_list', session).replace(/,"grow":1/, ''), HOOKS)
  for (const name of readdirSync(cwd, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('/work')) continue
    mkdirSync(join(cwd, name, ...Array.from({ length: 100 }, () => 'd')), { recursive: true })
    writeTree(join(cwd, name), Object.fromEntries(listFiles()))
  }
  return rpc
}

function listFiles(): [path: string, text: string][] {
  return Array.from({ length: 2000 }, (_, at) => [`many/d${at}`, ''])
}

/** Methods that start sandboxes, or change skills. */
const MAY_START =
  /"method":"[^"]*(?:execute|run_code|exec|skill_run|create_skill|kernel|cancel|stdin)|\\u/

const HOOKS: RpcHooks = {
  around: async (_, work) => await work(),
  onRefused: () => {},
  admit: async (_, work) => await work({ env: {}, cwd: '/' }),
}
