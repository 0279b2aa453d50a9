import { spawnSync } from 'node:child_process'
import { expect } from 'vitest'
import type { RunCase } from './case.ts'
import type { RunReport, RunSpec } from './worker-protocol.ts'

/** Converts the attacks into runs of the worker. */
export function listAttackRuns(cases: readonly RunCase[]): RunSpec[] {
  return cases.map(({ id, run }) => ({ id, ...run }))
}

/** Lists the controls that are runs without a guard; equal ones run only once. */
export function listControlRuns(cases: readonly RunCase[]): RunSpec[] {
  const runs = cases.flatMap(({ control }) => ('run' in control ? [control.run] : []))
  return [...new Map(runs.map((run) => [JSON.stringify(run), run]))].map(([id, run]) => ({
    id,
    ...run,
  }))
}

/** Verifies that the attack works without the guard; throws if it does not. */
export async function verifyControl(
  { control }: RunCase,
  reports: ReadonlyMap<string, RunReport>,
): Promise<void> {
  if ('run' in control) {
    const report = reports.get(JSON.stringify(control.run))
    expect(report).toBeDefined()
    control.works(report as RunReport)
  } else if ('bare' in control) {
    const options = { encoding: 'utf8', timeout: 60_000 } as const
    const { stdout, stderr } = spawnSync('/usr/bin/python3', ['-c', control.bare], options)
    expect(stdout.trim().split('\n').at(-1), stderr).toBe(control.prints)
  } else if ('host' in control) await control.host()
  else expect(control.none).not.toBe('')
}
