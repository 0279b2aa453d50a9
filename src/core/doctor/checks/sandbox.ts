import { SkillsError } from '../../../errors.ts'
import type { RunResult } from '../../runs/result.ts'
import type { DoctorCheck, CheckResult } from '../check.ts'
import { selectNamespaceBackend } from '../selected-backend.ts'
import { getSandboxTrial } from '../try-sandbox.ts'

/** Starts a sandbox and reports which accesses it denies and how limits are enforced. */
export const sandboxCheck: DoctorCheck = {
  id: 'sandbox',
  title: 'Sandbox',
  needed: true,
  async run(machine) {
    try {
      return evaluateSandboxRun(await getSandboxTrial(machine, selectNamespaceBackend(machine)))
    } catch (error) {
      if (!(error instanceof SkillsError)) throw error
      // The check of Python reports it.
      if (error.code === 'language/not-installed') {
        return { ok: null, detail: 'not tried without Python' }
      }
      return { ok: false, detail: error.message, fix: error.hint }
    }
  },
}

/** Reports the accesses that a skill had and should not have, or the isolation of its run. */
export function evaluateSandboxRun({ status, error, output, isolation }: RunResult): CheckResult {
  if (status === 'failed' || !isolation) {
    return { ok: false, detail: `the probe failed: ${error?.message}` }
  }
  const leaks = Object.entries(output as Record<string, unknown>).filter(
    ([, isAllowed]) => isAllowed,
  )
  if (leaks.length > 0) {
    const list = leaks.map(([access]) => access).join(', ')
    return { ok: false, detail: `a skill ${list}`, fix: 'Do not run skills on this machine' }
  }
  const { namespaces, limits, tier, user } = isolation
  const weak = tier === 'weak' ? '; weak tier: this user cannot create control groups' : ''
  return {
    ok: true,
    detail:
      `started: ${user === 1000 ? 'user 1000' : 'own user'}, own namespaces (${namespaces.join(', ')}), ` +
      `system call filter, no network; memory by ${limits['memory']}, processes by ${limits['processes']}${weak}`,
  }
}
