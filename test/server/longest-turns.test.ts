// @module-tag slow
// @module-tag nightly
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { loadConfig } from '../../src/core/config/load-config.ts'
import { METHODS } from '../../src/core/methods/index.ts'
import { createRuntime, type Runtime } from '../../src/core/runtime.ts'
import { endAllSessions } from '../../src/core/workspaces/sessions/end-sessions.ts'
import { createRpc, type Rpc, type RpcHooks } from '../../src/rpc/rpc.ts'
import { keepSandboxes } from '../helpers/kept-sandboxes.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { createFolder, writeTree } from '../helpers/skills.ts'
import { listHostileParams, type DescribedMethod } from './hostile-params.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 120_000 })

/** Longest turn of a method, as a multiple of the reference work. */
const MAX_TURN = 20
/** Calls whose turn was too long are repeated: the shortest time counts. */
const TRIES = 3
const CALL = { env: { PATH: process.env['PATH'] }, cwd: '/' }
const HOOKS: RpcHooks = {
  around: async (_, work) => await work(),
  onRefused: () => {},
  admit: async (_, work) => await work(CALL),
}

const line = (text: string, size: number) => text.repeat(size)

/** A skill whose files are slow to read. */
const HOSTILE = {
  ...createActionSkill('demo.hostile'),
  'resources/deep.md': line('> ', 5000) + line('* [a](b "', 5000),
  'resources/marks.md': line('a_*`~', 20_000),
  'resources/lines.md': line('# a\n', 20_000),
  'resources/long.txt': line('x', 1_000_000),
  'tests/deep.test.toml': `[[case]]\nname = "x"\nargs = ${'['.repeat(900)}${']'.repeat(900)}\n`,
  'code/deep.py': `x = ${'('.repeat(90)}1${')'.repeat(90)}\n${line('def a(): return 1\n', 10_000)}`,
  'code/long.js': `const x = ${line('1+', 50_000)}1\n`,
}

let runtime: Runtime
let rpc: Rpc
let methods: readonly DescribedMethod[]
let samples: Values
let own: Readonly<Record<string, Values>>
let reference = 0

beforeAll(async () => {
  const cwd = createFolder({}, afterAll)
  writeTree(cwd, {
    ...prefixPaths('skills/demo.greet', createActionSkill('demo.greet')),
    ...prefixPaths('skills/demo.hostile', HOSTILE),
  })
  const { config } = await loadConfig({
    cwd,
    env: { HOME: cwd },
    flags: { 'run.timeout': '1s' },
    noFiles: true,
  })
  runtime = createRuntime({ config, sandboxes: await keepSandboxes() })
  rpc = createRpc({ runtime, methods: METHODS, privateFolders: [] })
  samples = await createSamples()
  fillWorkspace(cwd)
  own = await createOwnParams()
  const discovered = await getResult('rpc.discover', {})
  methods = discovered['methods'] as DescribedMethod[]
  reference = await measureReference()
})

afterAll(async () => await endAllSessions(runtime))

const measured: (Record<'ms' | 'calls' | 'results', number> &
  Record<'method' | 'params', string>)[] = []

afterAll(() => {
  const rows = measured.toSorted((a, b) => b.ms - a.ms)
  const lines = rows.map(
    ({ method, ms, calls, results, params }) =>
      `${ms.toFixed(0).padStart(6)} ms  ${method} (${results} of ${calls})  ${params}`,
  )
  const head = `The reference work takes ${reference.toFixed(0)} ms of processor time.`
  process.stdout.write(`${head}\n${lines.join('\n')}\n`)
})

/** `check_runtime` has no parameters, and starts every language of the machine for minutes. */
const NAMES = METHODS.map(({ name }) => name).filter((name) => name !== 'check_runtime')

/** Methods that no call here gets beyond. */
const UNREACHED: Readonly<Record<string, string>> = {
  read_blob_document: 'Reading the files takes longer than 3 s',
}

it.each(NAMES)('no hostile parameter of %s keeps other callers waiting for long', async (name) => {
  const method = methods.find((each) => each.name === name) ?? { name, params: [] }
  let [ms, calls, results, worst] = [0, 0, 0, '']
  const errors = new Set<string>()
  for (const params of listHostileParams(method, samples, own[name])) {
    const { shortest, error } = await measureTries(name, params)
    calls += 1
    if (error === undefined) results += 1
    else errors.add(error)
    if (shortest > ms) [ms, worst] = [shortest, describeLargest(params)]
  }
  measured.push({ method: name, ms, calls, results, params: worst })
  expect(ms, worst).toBeLessThan(MAX_TURN * reference)
  // A call that is refused because of the samples shows nothing about the work behind it.
  if (name in UNREACHED) expect(errors).toContain(UNREACHED[name])
  else expect(results, [...errors][0]?.slice(0, 300)).toBeGreaterThan(0)
})

/** The largest parameter of a call, and its beginning. */
function describeLargest(params: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(params).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  const largest = texts.toSorted((a, b) => b.length - a.length)[0]
  return largest ? `${largest.slice(0, 60)} (${largest.length})` : ''
}

type Values = Readonly<Record<string, unknown>>

const VERSION = '0.0.0-next'
const IN_SESSION = { session: 's' }

/** Parameters by method that it needs for its work. */
async function createOwnParams(): Promise<Readonly<Record<string, Values>>> {
  const program = { runtime: 'shell', code: 'yes "$(printf %99s)" | head -n 20000' } as const
  const { artifactHandle } = await runtime.execute(program, CALL)
  const command = { ...IN_SESSION, command: 'cat', tty: true, timeout: 600, background: true }
  const { session_id } = await getResult('workspace_exec', command)
  const ofSkill = {
    ...IN_SESSION,
    command: 'cat',
    tty: true,
    timeout: 600,
    skill: 'demo.greet',
    yield_ms: 1,
  }
  const started = await getResult('skill_exec', ofSkill)
  const running = { ...IN_SESSION, session_id }
  const skillRunning = { ...IN_SESSION, session_id: started['session_id'] }
  return {
    create_blob: { kind: 'text/markdown' },
    create_skill: {
      manifest: {
        name: 'user.created',
        version: VERSION,
        description: 'Greets people by name.',
        kind: 'action',
        runtime: { language: 'python', entrypoint: 'code/main.py' },
      },
      files: [{ path: 'code/main.py', content: 'def main(args):\n    return 1\n' }],
    },
    describe_session: IN_SESSION,
    'runtime.execute': { code: 'true' },
    'runtime.queryOutput': { artifactHandle, regex: true, queryTerms: ['a'] },
    'runtime.workflow': {
      steps: [{ method: 'runtime.execute', params: { runtime: 'shell', code: 'true' } }],
    },
    skill_write_stdin: skillRunning,
    skill_poll_session: skillRunning,
    skill_kill_session: skillRunning,
    write_stdin: running,
    kill: running,
    workspace_list: IN_SESSION,
    workspace_read: { ...IN_SESSION, ref: 'workspace://work/a.txt' },
    workspace_replace: { ...IN_SESSION, path: 'work/a.txt', all: true },
    workspace_save_artifact: { ...IN_SESSION, path: 'work/a.txt' },
  }
}

async function createSamples(): Promise<Values> {
  const code = `def main(args):\n    for _ in range(2000): print("a" * 999)\n    return 1\n`
  const { run_id: run } = await runtime.runCode({ language: 'python', code }, CALL)
  const content = '<a['.repeat(100_000)
  const { blob_id } = await getResult('create_blob', { content, kind: 'text/markdown' })
  await getResult('workspace_list', IN_SESSION)
  return {
    name: 'demo.hostile',
    skill: 'demo.hostile',
    session: 's',
    session_id: 's',
    version: '0.1.0',
    path: 'resources/deep.md',
    blob_id,
    run_id: run,
    language: 'python',
    runtime: 'shell',
    code: 'def main(args):\n    return 1\n',
    command: 'true ',
    content: 'a',
    old_text: 'a',
    new_text: 'b',
    pattern: 'work/',
    ref: 'workspace://work/',
    query: 'greet ',
    docs: ['deep.md'],
  }
}

function fillWorkspace(cwd: string): void {
  for (const name of readdirSync(cwd, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('/work')) continue
    mkdirSync(join(cwd, name, ...Array.from({ length: 60 }, () => 'd')), { recursive: true })
    const files = Array.from({ length: 5000 }, (_, at) => [`many/d${at}`, 'a'] as const)
    writeTree(join(cwd, name), { ...Object.fromEntries(files), 'a.txt': 'a'.repeat(500_000) })
  }
}

async function send(method: string, params: object): Promise<Record<string, unknown>> {
  const answer = await rpc.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), HOOKS)
  return JSON.parse(answer.text?.toString() ?? '{}') as Record<string, unknown>
}

/** A skill is created once: each call gets a version of its own. */
let version = 0

async function getResult(method: string, params: object): Promise<Values> {
  const { result, error } = await send(method, params)
  expect(error).toBeUndefined()
  return result as Values
}

async function measureTries(
  method: string,
  params: object,
): Promise<{ shortest: number; error: string | undefined }> {
  let [shortest, text] = [Infinity, '']
  for (let left = TRIES; left > 0 && shortest > (MAX_TURN / 2) * reference; left--) {
    version += 1
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }).replace(
      VERSION,
      `0.0.${version}`,
    )
    const work = async () => {
      text = (await rpc.handle(body, HOOKS)).text?.toString() ?? '{}'
    }
    shortest = Math.min(shortest, await measureLongestTurn(work))
  }
  const { error } = JSON.parse(text) as { error?: { message: string } }
  return { shortest, error: error?.message }
}

/** Processor time of this thread in ms, which other processes do not change. */
function readThreadMs(): number {
  return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]) / 1e6
}

async function measureLongestTurn(work: () => Promise<unknown>): Promise<number> {
  let [longest, last, isOver] = [0, readThreadMs(), false]
  const note = () => {
    const now = readThreadMs()
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

/** Work that every server does: what a turn may take is a multiple of it, on any machine. */
async function measureReference(): Promise<number> {
  const text = JSON.stringify(
    Array.from({ length: 20_000 }, (_, at) => ({ id: at, name: `name ${at}` })),
  )
  let shortest = Infinity
  for (let left = 5; left > 0; left--) {
    shortest = Math.min(shortest, await measureLongestTurn(async () => void JSON.parse(text)))
  }
  return shortest
}
