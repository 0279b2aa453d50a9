import { getSandboxTrial } from '../try-sandbox.ts'
import type { DoctorCheck, CheckResult, Machine } from '../check.ts'
import { NOT_TRIED, selectNamespaceBackend } from '../selected-backend.ts'

/** One namespace each, as the trial run reports it. */
export const NAMESPACE_CHECKS: readonly DoctorCheck[] = [
  createNamespaceCheck('user', 'User namespace'),
  createNamespaceCheck('mount', 'Mount namespace'),
  createNamespaceCheck('pid', 'PID namespace'),
  createNamespaceCheck('network', 'Network namespace'),
]

function createNamespaceCheck(kind: string, title: string): DoctorCheck {
  return {
    id: `namespace-${kind}`,
    title,
    needed: true,
    run: async (machine) => await findNamespace(machine, kind),
  }
}

async function findNamespace(machine: Machine, kind: string): Promise<CheckResult> {
  try {
    const { status, isolation } = await getSandboxTrial(machine, selectNamespaceBackend(machine))
    if (status === 'failed') return NOT_TRIED
    if (isolation?.namespaces.includes(kind) === true) return { ok: true, detail: 'available' }
    return kind === 'user'
      ? { ok: true, detail: 'not needed by root: each run has a user id of its own' }
      : {
          ok: false,
          detail: 'the run has none of its own',
          fix: 'Do not run skills on this machine',
        }
  } catch {
    return NOT_TRIED
  }
}
