// Compares whole processes of `skills test` with the same calls: 200 cases with 200 calls to a warm
// server, and one case with one `skills exec`. The arms alternate in one loop.
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startServe } from '../serve/start.js'
import { createTemporaryFolder } from '../temporary-folder.js'
import { callRpc } from '../warm/echo.js'

const BIN = fileURLToPath(new URL('../../../bin/skills.js', import.meta.url))
const CASES = 200
const ROUNDS = 7
const NAME = 'demo.echo'

/** Ratios of `skills test` to calls of the same skill, and its memory. */
export async function measureTestRuns() {
  const dir = createProject()
  const server = await startServe(dir, { argv: ['--no-auth'] })
  const memoryFile = join(dir, 'memory')
  const hook = join(dir, 'hook.mjs')
  writeFileSync(
    hook,
    `import { writeFileSync } from 'node:fs'
process.on('exit', () => writeFileSync(${JSON.stringify(memoryFile)}, String(process.resourceUsage().maxRSS)))`,
  )
  const arms = {
    calls: async () => await callOften(server.port),
    cases: async () =>
      await run(dir, ['--import', hook], ['test', 'skills/echo/tests/many.test.toml']),
    exec: async () => await run(dir, [], ['exec', NAME, '--arg', 'n=1']),
    one: async () => await run(dir, [], ['test', 'skills/echo/tests/single.test.toml']),
  }
  const times = { calls: [], cases: [], exec: [], one: [] }
  let memory = 0
  try {
    for (let round = -1; round < ROUNDS; round++) {
      for (const [name, work] of Object.entries(arms)) {
        const start = performance.now()
        await work()
        // The first round fills caches, and warms the server.
        if (round >= 0) times[name].push(performance.now() - start)
      }
      memory = Math.max(memory, Number(readFileSync(memoryFile, 'utf8')) / 1024)
    }
  } finally {
    await server.stop()
  }
  return [
    {
      ...compare(`skills test, ${CASES} cases`, times.cases, times.calls),
      against: `${CASES} calls to a warm server`,
      limit: 1.5,
      memoryMiB: Math.round(memory),
      memoryLimitMiB: 200,
    },
    {
      ...compare('skills test, one case', times.one, times.exec),
      against: 'skills exec',
      limit: 1.3,
    },
  ]
}

function compare(arm, own, base) {
  const pairs = own.map((ms, at) => ms / base[at]).toSorted((a, b) => a - b)
  return { arm, median: median(own) / median(base), p95: pairs.at(-1) }
}

function median(list) {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]
}

async function callOften(port) {
  let left = CASES
  const work = async () => {
    while (left-- > 0) {
      const params = { name: NAME, args: { n: left } }
      const { result } = await callRpc(port, { id: left, method: 'execute_skill', params })
      if (result?.status !== 'completed') throw new Error(`A call ended with ${result?.status}`)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
}

async function run(cwd, flags, words) {
  const { PATH } = process.env
  const options = { cwd, env: { PATH, HOME: cwd }, stdio: ['ignore', 'ignore', 'pipe'] }
  const child = spawn(process.execPath, [...flags, BIN, ...words], options)
  let text = ''
  child.stderr.on('data', (chunk) => (text += chunk))
  const status = await new Promise((resolve) => child.on('close', resolve))
  if (status !== 0) throw new Error(`skills ${words.join(' ')} ended with ${status}: ${text}`)
}

function createProject() {
  const dir = createTemporaryFolder('tests')
  const skill = join(dir, 'skills/echo')
  for (const folder of ['code', 'tests']) mkdirSync(join(skill, folder), { recursive: true })
  const manifest = `name = "${NAME}"\nversion = "0.1.0"\ndescription = "Returns its arguments."\nkind = "action"\n\n[runtime]\nlanguage = "python"\nentrypoint = "code/main.py"\nexport = "main"\n\n[inputs]\nn = { type = "integer" }\n`
  writeFileSync(join(skill, 'skill.toml'), manifest)
  writeFileSync(join(skill, 'code/main.py'), 'def main(args):\n    return args\n')
  const expectation = 'expect = [{ result = { path = "n", equals = "{{n}}" } }]\n'
  const rows = Array.from({ length: CASES }, (_, n) => `  { n = ${n} },\n`).join('')
  const writeCase = (name, list) =>
    `[[cases]]\nname = "${name} {{n}}"\nargs = { n = "{{n}}" }\nrows = [\n${list}]\n${expectation}\n`
  const single = '[[cases]]\nname = "single"\nargs = { n = 1 }\n'
  writeFileSync(join(skill, 'tests/many.test.toml'), writeCase('many', rows))
  writeFileSync(join(skill, 'tests/single.test.toml'), single + expectation.replace('"{{n}}"', '1'))
  return dir
}
