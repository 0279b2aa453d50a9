import { availableParallelism } from 'node:os'
import type { CaseReport, TestReport } from '../report/test-report.ts'
import { DeferredWrites } from './deferred-writes.ts'
import type { PlannedCase } from './plan-tests.ts'
import { runCase, type CaseSettings } from './run-case.ts'
import { shuffleOrder } from './select-cases.ts'
import type { TestRuntime } from './test-runtime.ts'

/** Function cases for which a zygote is started first. */
const MIN_WARM_CASES = 8

export interface RunSettings extends CaseSettings {
  /** Cases at the same time; undefined for the number of processors. */
  jobs: number | undefined
  /** Seed of the order in which cases start; undefined for the order of the suites. */
  shuffle: string | undefined
  /** Number of failed cases after which no further case starts. */
  bail: number | undefined
  /** Called when a case starts and ends, in the order of time. */
  onProgress?: ((event: CaseProgress) => void) | undefined
  /** Called with each result, in the order of the suites. */
  onCase?: ((report: CaseReport) => void) | undefined
}

export interface CaseProgress {
  type: 'start' | 'end'
  planned: PlannedCase
}

/** Runs cases in parallel; the report has them in the order of the suites, whatever the order of time. */
export async function runTests(
  runtime: TestRuntime,
  cases: readonly PlannedCase[],
  settings: RunSettings,
): Promise<TestReport> {
  const startedAt = performance.now()
  const { signal, shuffle, bail = Infinity, onProgress } = settings
  const order = shuffle === undefined ? [...cases.keys()] : shuffleOrder(cases.length, shuffle)
  const results = new OrderedResults(cases.length, settings.onCase)
  const writes = new DeferredWrites()
  await warmUp(runtime, cases, settings)
  const work = async () => {
    while (order.length > 0 && !signal.aborted && results.failed < bail) {
      const number = order.shift() as number
      const planned = cases[number] as PlannedCase
      onProgress?.({ type: 'start', planned })
      results.add(
        number,
        await runCase(runtime, planned, { ...settings, number, defer: writes.defer }),
      )
      onProgress?.({ type: 'end', planned })
    }
  }
  const workers = Math.min(settings.jobs ?? availableParallelism(), cases.length)
  const ended = await Promise.allSettled(Array.from({ length: workers }, work))
  await writes.perform()
  const broken = ended.find((each) => each.status === 'rejected')
  if (broken && !signal.aborted) throw broken.reason
  const reports = results.finish()
  const durationMs = performance.now() - startedAt
  return { cases: reports, durationMs, isPartial: reports.length < cases.length }
}

/** Passes results on in the order of the suites. */
class OrderedResults {
  failed = 0
  readonly #reports: (CaseReport | undefined)[]
  readonly #onCase: RunSettings['onCase']
  #reported = 0

  constructor(count: number, onCase: RunSettings['onCase']) {
    this.#reports = Array.from({ length: count })
    this.#onCase = onCase
  }

  add(number: number, report: CaseReport): void {
    this.#reports[number] = report
    if (report.status === 'failed') this.failed += 1
    for (; this.#reports[this.#reported]; this.#reported++) this.#report(this.#reported)
  }

  /** Passes on the results after cases that did not run. */
  finish(): CaseReport[] {
    for (; this.#reported < this.#reports.length; this.#reported++) this.#report(this.#reported)
    return this.#reports.filter((each) => each !== undefined)
  }

  #report(number: number): void {
    const report = this.#reports[number]
    if (report) this.#onCase?.(report)
  }
}

/** Starts one zygote for the whole test run, from which the functions of its cases are forked. */
async function warmUp(
  { services }: TestRuntime,
  cases: readonly PlannedCase[],
  { cwd, env, repeat }: RunSettings,
): Promise<void> {
  const functions = cases.filter(({ testCase }) => testCase.action.kind !== 'command')
  const isSmall = functions.length * repeat < MIN_WARM_CASES
  if (isSmall || services.config.run.warm === false) return
  const pool = await services.sandboxes.keepWarm({ cwd, env })
  await pool.waitUntilSettled()
}
