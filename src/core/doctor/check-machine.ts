import { toSnakeKeys } from '../../util/snake-keys.ts'
import type { PlainObject } from '../skills/manifest/manifest.ts'
import { listWeaknesses, reportBackends } from './backends.ts'
import type { DoctorCheck, Machine } from './check.ts'
import { selectFleetChecks } from './checks/fleet.ts'
import { selectChecks } from './checks/index.ts'
import { reportLanguages } from './checks/languages.ts'
import type { CheckRecord, DoctorReport, TriedBackend } from './doctor-report.ts'

/** Runs all checks side by side: they share their trials, and wait for programs most of the time. */
export async function checkMachine(machine: Machine): Promise<DoctorReport> {
  const selected = [...selectChecks(process.platform), ...selectFleetChecks(machine.config)]
  const [checks, languages, backends] = await Promise.all([
    runChecks(selected, machine),
    reportLanguages(machine),
    describeBackends(machine),
  ])
  return {
    ok: checks.every(({ ok, needed }) => ok !== false || !needed),
    checks,
    languages,
    backends,
  }
}

/** Runs checks side by side. The records keep the order of the checks. */
export async function runChecks(
  checks: readonly DoctorCheck[],
  machine: Machine,
): Promise<CheckRecord[]> {
  return await Promise.all(
    checks.map(async (check) => {
      const { id, title, needed } = check
      const { ok, detail, fix } = await check.run(machine)
      return { id, title, needed, ok, detail, fix: ok === false ? (fix ?? null) : null }
    }),
  )
}

async function describeBackends(machine: Machine): Promise<TriedBackend[]> {
  const reports = await reportBackends(machine)
  return reports.map(({ promises, ...each }) => ({
    ...each,
    promises: toSnakeKeys(promises) as PlainObject,
    weaknesses: listWeaknesses(promises),
    fix: each.ok ? null : (each.fix ?? null),
  }))
}
