// Coverage-guided fuzzing of the readers of foreign input: `npm run fuzz -- --help`.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { addToCorpus, readCorpus, writeInput } from './corpus.ts'
import type { FuzzReport } from './engine/session.ts'
import { GUEST_TARGETS, runGuestTarget } from './run-guest-target.ts'
import { runTarget } from './run-target.ts'
import { findTarget, TARGET_NAMES } from './targets/index.ts'

const HELP = `npm run fuzz -- [options]

  --target <name>    one target; repeat it for more (default: all)
  --minutes <n>      time of all targets together (default: 5)
  --seconds <n>      the same in seconds
  --seed <n>         repeats a session (default: random)
  --input <file>     tries one file instead
  --keep             adds inputs that reach new code to test/fuzz/corpus
  --planted          plants a bug in each target, which must be found
  --json             prints one JSON document per target
  --list             prints the names of the targets
`

const ALL = [...TARGET_NAMES, ...GUEST_TARGETS]
const { values } = parseArgs({
  options: {
    target: { type: 'string', multiple: true, default: ALL },
    minutes: { type: 'string', default: '5' },
    seconds: { type: 'string' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
    input: { type: 'string' },
    keep: { type: 'boolean', default: false },
    planted: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

/** Findings are not part of the repository. */
const FINDINGS = '.fuzz'
/** Short inputs and few of them: the corpus is for people, and is replayed in each session. */
const MAX_CORPUS_INPUTS = 8
const MAX_CORPUS_BYTES = 1024

const problem = findProblem()
if (problem !== undefined) {
  process.stderr.write(`${problem}; type: npm run fuzz -- --help\n`)
  process.exitCode = 2
} else if (values.help) process.stdout.write(HELP)
else if (values.list) process.stdout.write(`${ALL.join('\n')}\n`)
else process.exitCode = await fuzzAll()

function findProblem(): string | undefined {
  const unknown = values.target.find((each) => !ALL.includes(each))
  if (unknown !== undefined) return `There is no target "${unknown}"`
  if (!(readSeconds() > 0)) return 'Expected a number above zero for --minutes or --seconds'
  if (!/^\d+$/.test(values.seed)) return `The seed "${values.seed}" is not a whole number`
  if (values.input !== undefined && !existsSync(values.input))
    return `The file "${values.input}" does not exist`
  return undefined
}

function readSeconds(): number {
  return values.seconds === undefined ? Number(values.minutes) * 60 : Number(values.seconds)
}

async function fuzzAll(): Promise<number> {
  const seconds = readSeconds() / values.target.length
  if (!values.json) process.stdout.write(`seed ${values.seed}\n`)
  let findings = 0
  for (const name of values.target) {
    const report = await fuzzOne(name, seconds)
    findings += report.finding ? 1 : 0
    print(name, report)
  }
  return findings === 0 ? 0 : 1
}

async function fuzzOne(name: string, seconds: number): Promise<FuzzReport> {
  const isGuest = GUEST_TARGETS.includes(name)
  const seeds = isGuest ? [] : (await findTarget(name)).seeds
  const corpus = values.input
    ? [readFileSync(values.input)]
    : [...seeds.map((each) => Buffer.from(each as string)), ...readCorpus(name)]
  const request = {
    name,
    corpus,
    isPlanted: values.planted,
    seed: Number(values.seed),
    seconds: values.input ? 0 : seconds,
  }
  const report = await (isGuest ? runGuestTarget(request) : runTarget(request))
  if (values.keep) addToCorpus(name, selectInputs(name, report.kept))
  return report
}

/** The shortest new inputs, up to the limits of the repository's corpus. */
function selectInputs(name: string, kept: readonly Buffer[]): Buffer[] {
  const space = Math.max(0, MAX_CORPUS_INPUTS - readCorpus(name).length)
  const short = kept.filter(({ length }) => length <= MAX_CORPUS_BYTES)
  return short.toSorted((a, b) => a.length - b.length).slice(0, space)
}

function print(name: string, { executions, kept, covered, finding }: FuzzReport): void {
  const file = finding && writeInput(join(FINDINGS, name), finding.input)
  if (values.json) {
    const found = finding && { file, message: finding.message }
    const facts = { target: name, executions, kept: kept.length, covered, finding: found ?? null }
    process.stdout.write(`${JSON.stringify(facts)}\n`)
    return
  }
  const unit = GUEST_TARGETS.includes(name) ? 'lines' : 'characters of code'
  const counts = `${executions} executions, ${kept.length} new inputs, ${covered} ${unit} reached`
  process.stdout.write(`${name}: ${counts}\n`)
  if (!finding) return
  process.stdout.write(`  found: ${finding.message.replaceAll('\n', '\n  ')}\n`)
  process.stdout.write(`  repeat: npm run fuzz -- --target ${name} --input ${file}\n`)
}
