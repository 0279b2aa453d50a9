import type { RunCase } from '../case.ts'
import { expectCompleted, expectFailed } from './expect.ts'
import { wrapMain } from './forge.ts'

/** Runs the same code with a low and with a sufficient limit. */
export function bounded(
  head: Pick<RunCase, 'id' | 'says'>,
  code: string,
  how: {
    tight: Record<string, unknown>
    loose: Record<string, unknown>
    args?: { n: number }
    few?: { n: number }
    holds?: RunCase['holds']
    types?: string[]
  },
): RunCase {
  const run = {
    code: wrapMain(code),
    settings: how.tight,
    timeoutMs: 120_000,
    ...(how.args && { args: how.args }),
  }
  return {
    ...head,
    needs: 'limits',
    run,
    holds: how.holds ?? expectFailed(...(how.types ?? [])),
    control: {
      run: { ...run, settings: how.loose, ...(how.few && { args: how.few }) },
      works: expectCompleted(),
    },
  }
}
