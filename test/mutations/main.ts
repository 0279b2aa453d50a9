// Measures how much of src the tests protect: `npm run mutations -- --help`.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { groupByArea } from './areas.ts'
import { Checkout } from './checkout.ts'
import { chooseMutations } from './choose-mutations.ts'
import { ImportGraph } from './import-graph.ts'
import { listMutations, type Mutation } from './list-mutations.ts'
import { MutantMeasurement, type MutantResult } from './measure-mutant.ts'
import { formatReport, formatResult, type MeasuredCommit, type Mutant } from './report.ts'

const HELP = `npm run mutations -- [options]

Changes src in one place at a time, and reports which changes no test finds. It measures commits in temporary folders,
without uncommitted changes. A mutant is a faulty program that runs with your permissions: use a machine without data
that you need.

  --seed <n>       repeats a selection (default: random)
  --areas <a,b>    some areas (default: all); --list names them
  --per-area <n>   mutants of each area (default: 4)
  --base <ref>     measures the same mutants at another commit, too
  --fast-only      leaves the slow suites out
  --tests <n>      fast test files for a mutant, and slow ones, nearest first (default: 24)
  --minutes <n>    time for a mutant, after which no more tests begin (default: 15)
  --workers <n>    workers of vitest (default: 2)
  --json           prints one JSON document
  --list           prints the areas with their numbers of files

Code that runs in sandboxes (src/guest) is not mutated.
`

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
    areas: { type: 'string' },
    'per-area': { type: 'string', default: '4' },
    base: { type: 'string' },
    'fast-only': { type: 'boolean', default: false },
    tests: { type: 'string', default: '24' },
    minutes: { type: 'string', default: '15' },
    workers: { type: 'string', default: '2' },
    json: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const NOT_THERE: MutantResult = { outcome: 'absent', ran: 0, reaching: 0 }
const COUNTS = ['seed', 'per-area', 'tests', 'minutes', 'workers'] as const
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** Typical time of a mutant on two cores without other load. */
const TYPICAL_MINUTES = values['fast-only'] ? 1 : 3

// oxlint-disable-next-line unicorn/no-process-exit -- temporary folders are removed on exit
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
const wrong = COUNTS.find((name) => !/^\d+$/.test(values[name]))
if (values.help) process.stdout.write(HELP)
else if (wrong !== undefined) refuse(`Expected a whole number for --${wrong}`)
else await main()

function refuse(problem: string): void {
  process.stderr.write(`${problem}; type: npm run mutations -- --help\n`)
  process.exitCode = 2
}

async function main(): Promise<void> {
  const current = new Checkout(ROOT, resolveCommit('HEAD'))
  const sources = new Map(current.listSources().map((file) => [file, current.read(file)]))
  const areas = groupByArea([...sources.keys()])
  const names = values.areas?.split(',') ?? [...areas.keys()]
  const unknown = names.find((name) => !areas.has(name))
  if (unknown !== undefined) return refuse(`There is no area "${unknown}"`)
  if (values.list) {
    for (const [area, files] of areas) process.stdout.write(`${area} ${files.length}\n`)
    return
  }
  const mutants = names.flatMap((area) => {
    const files = areas.get(area) ?? []
    const texts = new Map(files.map((file) => [file, sources.get(file) ?? '']))
    const options = { seed: Number(values.seed), count: Number(values['per-area']) }
    return chooseMutations(texts, options).map((mutation) => ({ area, mutation }))
  })
  const base = values.base === undefined ? [] : [new Checkout(ROOT, resolveCommit(values.base))]
  const minutes = mutants.length * (1 + base.length) * TYPICAL_MINUTES
  note(`seed ${values.seed}: ${mutants.length} mutants, about ${minutes} minutes on two cores`)
  const commits: MeasuredCommit[] = []
  for (const checkout of [current, ...base]) commits.push(await measureCommit(checkout, mutants))
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ seed: Number(values.seed), mutants, commits }, null, 2)}\n`
      : formatReport(mutants, commits),
  )
}

async function measureCommit(
  checkout: Checkout,
  mutants: readonly Mutant[],
): Promise<MeasuredCommit> {
  checkout.install()
  const measurement = new MutantMeasurement(checkout, new ImportGraph(checkout.root), {
    isFastOnly: values['fast-only'],
    tests: Number(values.tests),
    minutes: Number(values.minutes),
    workers: Number(values.workers),
  })
  const results: MutantResult[] = []
  for (const { mutation } of mutants) {
    const same = findSame(checkout, mutation)
    const result = same ? await measurement.measure(same) : NOT_THERE
    results.push(result)
    note(`${results.length}/${mutants.length} ${formatResult(mutation, result)}`)
  }
  checkout.remove()
  return { commit: checkout.commit, results, unusable: [...measurement.unusable] }
}

/** The same change in a checkout, where other lines of the file may have moved it. */
function findSame(checkout: Checkout, { file, key }: Mutation): Mutation | undefined {
  if (!checkout.has(file)) return undefined
  return listMutations(file, checkout.read(file)).find((each) => each.key === key)
}

function resolveCommit(ref: string): string {
  const argv = ['rev-parse', '--verify', `${ref}^{commit}`]
  return execFileSync('git', argv, { cwd: ROOT, encoding: 'utf8' }).trim()
}

/** Progress, which is no part of the report. */
function note(text: string): void {
  process.stderr.write(`${text}\n`)
}
