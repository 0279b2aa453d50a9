// What loading on demand saves, and what building requests takes; without a model and without a
// network, the same every time. `npm run bench:prompt -- <folder>` takes skills of your own.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { measure } from './disclosure.js'
import { timeRequests } from './request.js'
import { writeSkills } from './skill-set.js'

const dist = pathToFileURL(
  `${process.env.BENCH_DIST ?? fileURLToPath(new URL('../../../dist', import.meta.url))}/`,
)
const agent = await import(new URL('agent/index.js', dist))
const { anthropicSkills } = await import(new URL('agent/adapters/anthropic.js', dist))
const { openTokenizer } = await import(new URL('agent/tokens/count-tokens.js', dist))
const { createRuntime, loadConfig } = await import(new URL('index.js', dist))

const work = mkdtempSync(join(tmpdir(), 'skills-bench-'))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))
const [given] = process.argv.slice(2)

async function open(root) {
  const env = { HOME: work, PATH: process.env.PATH }
  const loaded = await loadConfig({ cwd: work, env, flags: { roots: [root] }, noFiles: true })
  const runtime = createRuntime({ config: loaded.config, cacheDir: null })
  const host = agent.localHost(runtime)
  const names = (await host.skills()).map(({ name }) => name)
  const skills = []
  for (const name of names.filter((each) => each !== 'skills.protocol.guide')) {
    skills.push({ name, docs: await runtime.skillListDocs({ skill: name }) })
  }
  return { host, skills }
}

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]
const grouped = (value) => Math.round(value).toLocaleString('en-US')
const percent = (value) => `${(value * 100).toFixed(1)} %`

const sixteen = join(work, 'sixteen')
writeSkills(sixteen, { count: 16, bodyWords: 1800, docs: 3, docWords: 2500 })
const set = await open(given === undefined ? sixteen : resolve(given))
const count = await openTokenizer('o200k')
const common = { agent, ...set, count, seeds: [1, 2, 3, 4, 5], turns: 3 }
const WAYS = [
  { name: 'on demand, beside the call', placement: 'tool-results' },
  { name: 'on demand, in the system message', placement: 'system' },
  { name: 'on demand, for a turn only', loadMode: 'turn' },
  { name: 'bodies preloaded', preload: 'bodies', placement: 'system' },
  { name: 'bodies and documents preloaded', preload: 'everything', placement: 'system' },
]
console.log(
  `${set.skills.length} skills, ${common.seeds.length} conversations of ${common.turns} turns, medians of their sums`,
)
console.log('requests   prompt tokens       cached   not cached   cached share')
let first
for (const way of WAYS) {
  const results = await measure(way, common)
  const prompt = median(results.map((each) => each.prompt))
  const cached = median(results.map((each) => each.cached))
  const requests = median(results.map((each) => each.requests))
  first ??= prompt
  const saves = way.preload ? `; loading on demand saves ${percent(1 - first / prompt)}` : ''
  const cells = [
    String(requests).padStart(8),
    grouped(prompt).padStart(15),
    grouped(cached).padStart(12),
    grouped(prompt - cached).padStart(12),
    percent(cached / prompt).padStart(14),
  ]
  console.log(`${cells.join(' ')}   ${way.name}${saves}`)
}

const many = join(work, 'many')
writeSkills(many, { count: 200, bodyWords: 600, docs: 2, docWords: 300 })
const adapters = {
  neutral: (session, messages) => {
    const skills = agent.neutralSkills(session)
    return async () => await skills.request(messages)
  },
  anthropic: (session, messages) => {
    const skills = anthropicSkills(session)
    const own = messages.map((each) =>
      each.role === 'tool'
        ? {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: each.call, content: each.content }],
          }
        : { role: each.role, content: each.content },
    )
    return async () => await skills.request({ messages: own })
  },
}
console.log('\nA request of a conversation of 100 turns with 200 skills')
for (const row of await timeRequests({ agent, adapters, ...(await open(many)) })) {
  const verdict = row.holds ? 'holds' : 'DOES NOT HOLD'
  const times = `median ${row.median.toFixed(2)} ms, p95 ${row.p95.toFixed(2)} ms`
  console.log(`${times}, at most ${row.limit} ms: ${verdict}   ${row.name}`)
}
