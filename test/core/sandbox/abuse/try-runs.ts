import { spawnSync } from 'node:child_process'
import { expect } from 'vitest'
import type { RunCase } from './case.ts'
import type { RunReport, RunSpec } from './worker-protocol.ts'

/** The attacks, as the worker takes them. */
export function attacksOf(cases: readonly RunCase[]): RunSpec[] {
  return cases.map(({ id, run }) => ({ id, ...run }))
}

/** The same with a guard off, where that is the control; what several share is run once. */
export function controlsOf(cases: readonly RunCase[]): RunSpec[] {
  const runs = cases.flatMap(({ control }) => ('run' in control ? [control.run] : []))
  return [...new Map(runs.map((run) => [JSON.stringify(run), run]))].map(([id, run]) => ({
    id,
    ...run,
  }))
}

/** Shows that the attack is one; throws where it is not. */
export async function showControl(
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
