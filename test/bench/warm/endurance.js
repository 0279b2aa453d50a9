// Many warm runs, with and without random kills of runs and zygotes: no wrong result, none lost,
// nothing left behind, constant memory. `node test/bench/warm/endurance.js [runs] [runs with
// kills]`; defaults: 20,000 and 10,000.
import { setTimeout as sleep } from 'node:timers/promises'
import { openRuntime } from '../runs/library.js'
import { killAtRandom } from './killer.js'
import { leftovers } from './left.js'

const [RUNS = 20_000, KILLED_RUNS = 10_000] = process.argv.slice(2).map(Number)
const CONCURRENT = 8
/** A run without a response by then counts as lost. */
const SILENT_MS = 60_000
/** A half that takes longer fails. */
const LONGEST_MS = 15 * 60_000
/** Memory that the allocator and the collector retain. */
const MOST_GROWN_MIB = 48
/** Files that this process keeps open, such as its log. */
const MOST_FILES = 4
/** Minimum share of warm runs; below it, the warm path was not tested. */
const LEAST_WARM = 0.75
const PAGE = 1000
const NO_KILLS = { fork: 0, zygote: 0, around: 0, cold: 0 }
const PROGRESS_MS = 10_000
const BODY = 'def main(args):\n    print("run", args["n"])\n    return args["n"] * 2\n'
/** Correct messages for runs whose processes were killed. */
const HONEST = ['The sandbox ended before the code did', 'The code was ended by SIGKILL']
/** Correct message for a run whose two sandboxes were killed before its code started. */
const NOT_STARTED = 'The sandbox did not start: tried twice, it was killed by SIGKILL'

/** Result of each run, by its id. */
const answered = new Map()
const report = {}
if (RUNS > 0) report.flat = await endure(RUNS, { withKills: false })
if (KILLED_RUNS > 0) report.killed = await endure(KILLED_RUNS, { withKills: true })
console.log(JSON.stringify(report, null, 2))
const bad = Object.entries(report).flatMap(([half, seen]) =>
  problemsOf(seen).map((problem) => `${half}: ${problem}`),
)
for (const each of bad) console.error(each)
process.exit(bad.length === 0 ? 0 : 1)

async function endure(runs, { withKills }) {
  const before = leftovers()
  const run = await openRuntime({}, { warm: true })
  answered.clear()
  const seen = { runs, right: 0, failed: 0, notStarted: 0, wrong: [], lost: [], cold: {} }
  const startedAt = performance.now()
  const passedMs = () => performance.now() - startedAt
  const stuck = setTimeout(abortWhenStuck, 2 * LONGEST_MS)
  const progress = setInterval(() => reportProgress(seen, passedMs()), PROGRESS_MS)
  let isOver = false
  const answers = () => countResults(seen)
  const killing = withKills ? killAtRandom({ answers, isOver: () => isOver }) : undefined
  // Memory is compared from the point where caches are full.
  const first = Math.ceil(runs / 10)
  await runAll(run, seen, { from: 0, to: first, passedMs })
  const { memoryMiB: startMiB } = leftovers()
  await runAll(run, seen, { from: first, to: runs, passedMs })
  isOver = true
  const kills = await killing
  clearInterval(progress)
  const seconds = Math.round(passedMs() / 1000)
  const grownMiB = leftovers().memoryMiB - startMiB
  const unrecorded = await countUnrecorded(run.runtime)
  await run.stop()
  const left = await waitForCleanup(before)
  clearTimeout(stuck)
  return { ...seen, ...(kills && { kills }), unrecorded, grownMiB, left, seconds }
}

async function runAll(run, seen, { from, to, passedMs }) {
  let next = from
  const work = async () => {
    for (let n = next++; n < to && passedMs() < LONGEST_MS; n = next++) {
      checkResult(seen, n, await waitForResult(run, n))
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT }, work))
}

async function waitForResult(run, n) {
  const answer = run(BODY, { args: { n } }).catch((error) => error)
  let late
  const silence = new Promise((resolve) => {
    late = setTimeout(() => resolve(new Error('it was never answered')), SILENT_MS)
  })
  const result = await Promise.race([answer, silence])
  clearTimeout(late)
  return result
}

function abortWhenStuck() {
  console.error('The test did not finish in time')
  process.exit(1)
}

function checkResult(seen, n, result) {
  if (result.message === NOT_STARTED) return void (seen.notStarted += 1)
  if (result instanceof Error) return void seen.lost.push(`${n}: ${result.message}`)
  const { run_id: id, status, isolation } = result
  if (isolation?.path !== 'warm') increment(seen.cold, String(isolation?.reason))
  const isOther = answered.has(id)
  answered.set(id, status)
  if (isOther || !isConsistent(n, result)) seen.wrong.push(`${n}: ${JSON.stringify(result)}`)
  else seen[status === 'completed' ? 'right' : 'failed'] += 1
}

/**
 * A killed run must say so; a run that reports success must have run exactly once with the right
 * result.
 */
function isConsistent(n, { status, output, error, logs_preview: logs }) {
  const times = logs.split(`run ${n}\n`).length - 1
  if (status === 'completed') return output === n * 2 && times === 1
  return HONEST.includes(error?.message) && times <= 1
}

function countResults({ right, failed, notStarted }) {
  return right + failed + notStarted
}

function increment(counts, name) {
  counts[name] = (counts[name] ?? 0) + 1
}

/** Counts results whose run record is missing or differs. */
async function countUnrecorded(runtime) {
  const records = await runtime.runs()
  const missing = new Map(answered)
  let cursor
  do {
    const page = await records.list({ limit: PAGE, cursor })
    for (const { run_id: id, status } of page.runs)
      if (missing.get(id) === status) missing.delete(id)
    cursor = page.next_cursor
  } while (cursor !== null)
  return missing.size
}

/** Cgroups whose last process has just died take a moment to disappear. */
async function waitForCleanup(before) {
  for (let tries = 0; ; tries++) {
    const now = leftovers()
    const left = Object.fromEntries(
      ['processes', 'groups', 'folders', 'mounts', 'files'].map((kind) => [
        kind,
        now[kind] - before[kind],
      ]),
    )
    const { files, ...others } = left
    const isClean = files <= MOST_FILES && Object.values(others).every((count) => count <= 0)
    if (isClean || tries === 50) return left
    await sleep(100)
  }
}

function problemsOf(seen) {
  return [
    ...findResultProblems(seen),
    ...findKillProblems(seen),
    ...findOtherProblems(seen),
  ].filter(Boolean)
}

function findResultProblems({ runs, right, failed, notStarted, wrong, lost, cold, unrecorded }) {
  const counted = countResults({ right, failed, notStarted })
  const warm = 1 - Object.values(cold).reduce((sum, count) => sum + count, 0) / runs
  return [
    counted !== runs && `of ${runs} runs ${counted} got a result`,
    wrong.length > 0 && `${wrong.length} answers are wrong`,
    lost.length > 0 && `${lost.length} answers are lost`,
    warm < LEAST_WARM && `only ${Math.round(warm * 100)} % of the runs were warm`,
    unrecorded > 0 && `${unrecorded} answers are not recorded as they were given`,
  ]
}

/** Only killed runs may fail; a zygote takes its forks with it. */
function findKillProblems({ failed, notStarted, kills = NO_KILLS }) {
  const most = kills.fork + kills.cold + (kills.zygote + kills.around) * CONCURRENT
  return [
    failed > most && `${failed} runs failed, but no more than ${most} can have been ended`,
    notStarted * 2 > kills.cold &&
      `${notStarted} runs were not started, though their sandboxes were not killed`,
    kills !== NO_KILLS && kills.zygote * kills.fork === 0 && 'no zygote or no run was ended',
  ]
}

function findOtherProblems({ grownMiB, left: { files, ...others } }) {
  return [
    grownMiB > MOST_GROWN_MIB && `memory grew by ${grownMiB} MiB`,
    files > MOST_FILES && `${files} more files are open`,
    ...Object.entries(others).map(([kind, count]) => count > 0 && `${count} ${kind} are left`),
  ]
}

function reportProgress({ right, failed, wrong, lost, cold }, passedMs) {
  const summary = {
    seconds: Math.round(passedMs / 1000),
    right,
    failed,
    wrong: wrong.length,
    lost: lost.length,
    cold,
  }
  console.error(JSON.stringify(summary))
}
