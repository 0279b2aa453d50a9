// Compares whole processes of `skills test` with the same calls: 200 cases with 200 calls to a warm
// server, and one case with one `skills exec`. The arms alternate in one loop.
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { runSkills } from '../run-skills.js'
import { startServe } from '../serve/start.js'
import { createTemporaryFolder } from '../temporary-folder.js'
import { timeInTurns } from '../turns.js'
import { callRpc } from '../warm/echo.js'
import { NAME, writeProject } from './project.js'

const CASES = 200
const ROUNDS = 7

/** Ratios of `skills test` to calls of the same skill, and its memory. */
export async function measureTestRuns() {
  const dir = createTemporaryFolder('tests')
  writeProject(dir, CASES)
  const server = await startServe(dir, { argv: ['--no-auth'] })
  const memoryFile = join(dir, 'memory')
  const hook = join(dir, 'hook.mjs')
  writeFileSync(
    hook,
    `import { writeFileSync } from 'node:fs'
process.on('exit', () => writeFileSync(${JSON.stringify(memoryFile)}, String(process.resourceUsage().maxRSS)))`,
  )
  let memory = 0
  const arms = {
    calls: async () => await callOften(server.port),
    cases: async () => {
      const argv = ['test', 'skills/echo/tests/many.test.toml']
      await runSkills(dir, { node: ['--import', hook], argv })
      memory = Math.max(memory, Number(readFileSync(memoryFile, 'utf8')) / 1024)
    },
    exec: async () => await runSkills(dir, { argv: ['exec', NAME, '--arg', 'n=1'] }),
    one: async () => await runSkills(dir, { argv: ['test', 'skills/echo/tests/single.test.toml'] }),
  }
  let times
  try {
    times = await timeInTurns(arms, { rounds: ROUNDS })
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
