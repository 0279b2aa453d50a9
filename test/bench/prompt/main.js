// Measures what loading on demand saves and what building requests costs, without a model or a
// network, with the same result every time. `npm run bench:prompt -- <folder>` uses skills of your
// own.
import { join, resolve } from 'node:path'
import { measure } from './disclosure.js'
import { agent, openSkills, openTokenizer, work } from './library.js'
import { printRequests } from './request.js'
import { writeSkills } from './skill-set.js'

const WAYS = [
  { name: 'on demand, beside the call', placement: 'tool-results' },
  { name: 'on demand, in the system message', placement: 'system' },
  { name: 'on demand, for a turn only', loadMode: 'turn' },
  { name: 'bodies preloaded', preload: 'bodies', placement: 'system' },
  { name: 'bodies and documents preloaded', preload: 'everything', placement: 'system' },
]
const SEEDS = [1, 2, 3, 4, 5]
const TURNS = 3

const [given] = process.argv.slice(2)
const sixteen = join(work, 'sixteen')
writeSkills(sixteen, { count: 16, bodyWords: 1800, docs: 3, docWords: 2500 })
const { host, skills } = await openSkills(given === undefined ? sixteen : resolve(given))
if (skills.length === 0) throw new Error(`There are no skills in ${given}`)
const count = await openTokenizer()

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]
const grouped = (value) => Math.round(value).toLocaleString('en-US')
const percent = (value) => `${(value * 100).toFixed(1)} %`

console.log(
  `${skills.length} skills, ${SEEDS.length} conversations of ${TURNS} turns, medians of their sums`,
)
console.log('requests  going on  prompt tokens       cached   not cached  cached share')
let onDemand
for (const way of WAYS) {
  const results = await measure(way, { agent, host, skills, count, seeds: SEEDS, turns: TURNS })
  const of = (key) => median(results.map((each) => each[key]))
  const prompt = of('prompt')
  const cached = of('cached')
  onDemand ??= prompt
  const saves = way.preload ? `; loading on demand saves ${percent(1 - onDemand / prompt)}` : ''
  const cells = [
    String(of('requests')).padStart(8),
    // Requests that extend the previous request.
    String(of('extended')).padStart(9),
    grouped(prompt).padStart(14),
    grouped(cached).padStart(12),
    grouped(prompt - cached).padStart(12),
    percent(cached / prompt).padStart(13),
  ]
  console.log(`${cells.join(' ')}  ${way.name}${saves}`)
}
await printRequests()
