import type { RunEvent } from '../../core/runs/run-call.ts'
import type { RunResult } from '../../core/runs/result.ts'
import { SkillsError } from '../../errors.ts'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { toPrintable } from '../../util/printable.ts'
import { formatTable } from '../ui/table.ts'

const MAX_REPETITIONS = 10_000

/** Number of --repeat; undefined without it. */
export function readRepetitions(call: CommandLine): number | undefined {
  const text = getTextOption(call, 'repeat')
  if (text === undefined) return undefined
  const other = ['watch', 'out', 'keep'].find((name) => call.options[name] !== undefined)
  if (other !== undefined) {
    throw new SkillsError('usage/invalid', `--repeat cannot be combined with --${other}`, {
      hint: 'Remove one of them',
    })
  }
  const count = Number(text)
  if (/^\d+$/.test(text) && count >= 1 && count <= MAX_REPETITIONS) return count
  throw new SkillsError(
    'usage/invalid',
    `Expected 1 to ${MAX_REPETITIONS} for --repeat, got "${text}"`,
    { hint: 'Write it as --repeat 10' },
  )
}

/** Measured phases, in their order. */
const PARTS = ['start', 'run', 'collect', 'total'] as const
type Part = (typeof PARTS)[number]

/** One measured run. Times are in milliseconds. */
interface MeasuredRun {
  runId: string
  status: RunResult['status']
  /** `cold` or `warm`; `not started` if its arguments were refused. */
  path: string
  summary: string
  times: Partial<Record<Part, number>>
}

/** Measures the phases of one run by its state changes. */
export function createStopwatch() {
  const startedAt = performance.now()
  const changes = new Map<string, number>()
  return {
    onEvent(event: RunEvent) {
      if (event.type === 'state') changes.set(event.state, performance.now())
    },
    finish({ run_id: runId, status, summary, isolation }: RunResult): MeasuredRun {
      const endedAt = performance.now()
      const [running, collecting] = [changes.get('running'), changes.get('collecting')]
      const times: MeasuredRun['times'] = { total: endedAt - startedAt }
      if (running !== undefined) times.start = running - startedAt
      if (running !== undefined && collecting !== undefined) {
        times.run = collecting - running
        times.collect = endedAt - collecting
      }
      return { runId, status, summary, path: isolation?.path ?? 'not started', times }
    },
  }
}

/** Runs several times and shows the times by path; returns 1 if a run failed. */
export async function repeatRuns(
  context: Context,
  count: number,
  runOnce: () => Promise<MeasuredRun>,
): Promise<number> {
  const runs: MeasuredRun[] = []
  for (let at = 0; at < count && !context.signal.aborted; at++) runs.push(await runOnce())
  const failed = runs.filter(({ status }) => status === 'failed')
  const times = summarizeTimes(runs)
  if (context.global.json) {
    context.document('skills.repeat/v1', {
      completed: runs.length - failed.length,
      failed: failed.length,
      times: times.map(({ path, part, count: of, median, min, max }) => ({
        path,
        part,
        runs: of,
        median_ms: roundTime(median),
        min_ms: roundTime(min),
        max_ms: roundTime(max),
      })),
      runs: runs.map(({ runId, status, path, summary, times: { total } }) => {
        return { run_id: runId, status, path, summary, total_ms: roundTime(total ?? 0) }
      }),
    })
  } else showTimes(context, { runs, failed, times })
  return failed.length > 0 ? 1 : 0
}

interface TimeSummary {
  path: string
  part: Part
  count: number
  median: number
  min: number
  max: number
}

function summarizeTimes(runs: readonly MeasuredRun[]): TimeSummary[] {
  const paths = [...new Set(runs.map(({ path }) => path))].toSorted()
  return paths.flatMap((path) =>
    PARTS.flatMap((part) => {
      const values = runs
        .filter((run) => run.path === path)
        .flatMap(({ times }) => times[part] ?? [])
        .toSorted((a, b) => a - b)
      const [min, max] = [values[0], values.at(-1)]
      if (min === undefined || max === undefined) return []
      return [{ path, part, count: values.length, median: computeMedian(values), min, max }]
    }),
  )
}

function computeMedian(sorted: readonly number[]): number {
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)] ?? 0
  return Number.isInteger(middle) ? (upper + (sorted[middle - 1] ?? 0)) / 2 : upper
}

function showTimes(
  context: Context,
  {
    runs,
    failed,
    times,
  }: {
    runs: readonly MeasuredRun[]
    failed: readonly MeasuredRun[]
    times: readonly TimeSummary[]
  },
): void {
  const { style } = context
  const rows = times.map(({ path, part, count, median, min, max }) => [
    path,
    String(count),
    part,
    ...[median, min, max].map((value) => `${roundTime(value)} ms`),
  ])
  const head = ['Path', 'Runs', 'Part', 'Median', 'Min', 'Max']
  const columns = context.stdout.isTTY === true ? context.columns : Infinity
  context.print(formatTable(rows, { columns, head, paintHead: style.dim, paint: [style.cyan] }))
  const [first] = failed
  if (!first) return
  context.stderr.write(
    `${context.errorStyle.red('failed:')} ${failed.length} of ${runs.length} runs, the first with ${toPrintable(first.summary)}\n`,
  )
}

function roundTime(ms: number): number {
  return Math.round(ms * 10) / 10
}
