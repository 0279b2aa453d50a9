import { toSnakeKeys } from '../../util/snake-keys.ts'
import type { PlainObject } from '../skills/manifest/manifest.ts'
import { listWeaknesses, reportBackends } from './backends.ts'
import type { Machine } from './check.ts'
import { selectFleetChecks } from './checks/fleet.ts'
import { selectChecks } from './checks/index.ts'
import { reportLanguages } from './checks/languages.ts'
import type { CheckRecord, DoctorReport } from './doctor-report.ts'

/** Runs all checks, one after the other: several of them measure. */
export async function checkMachine(machine: Machine): Promise<DoctorReport> {
  const checks: CheckRecord[] = []
  const { config } = machine
  for (const check of [...selectChecks(process.platform), ...selectFleetChecks(config)]) {
    const { id, title, needed } = check
    const { ok, detail, fix } = await check.run(machine)
    checks.push({ id, title, needed, ok, detail, fix: ok === false ? (fix ?? null) : null })
  }
  const backends = await reportBackends(machine)
  return {
    ok: checks.every(({ ok, needed }) => ok !== false || !needed),
    checks,
    languages: await reportLanguages(machine),
    backends: backends.map(({ promises, ...each }) => ({
      ...each,
      promises: toSnakeKeys(promises) as PlainObject,
      weaknesses: listWeaknesses(promises),
      fix: each.ok ? null : (each.fix ?? null),
    })),
  }
}
