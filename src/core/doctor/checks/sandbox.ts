import { SkillsError } from '../../../errors.ts'
import type { RunResult } from '../../run/result.ts'
import type { Check, CheckResult } from '../check.ts'
import { installPlan } from '../install-bubblewrap.ts'
import { runProgram } from '../run-program.ts'
import { trySandbox } from '../try-sandbox.ts'

/** The sandbox, really started: what a skill is kept from, and which limits hold how. */
export const sandboxCheck: Check = {
  id: 'sandbox',
  title: 'Sandbox',
  needed: true,
  async run(machine) {
    const version = await runProgram('bwrap', ['--version'], { env: machine.env })
    if (!version.ok) {
      const plan = await installPlan(machine.env)
      return {
        ok: false,
        detail: 'bubblewrap is not there: no skill can be run',
        fix: plan ? `Run "skills doctor --fix", or type: ${plan.line}` : MANUAL,
      }
    }
    try {
      return judge(await trySandbox(machine), version.stdout.trim())
    } catch (error) {
      if (!(error instanceof SkillsError)) throw error
      const known = /uid map|RTM_NEWADDR|No permissions|Operation not permitted/.test(error.message)
      const fix = known ? NAMESPACES : error.hint
      return { ok: false, detail: `${version.stdout.trim()}: ${error.message}`, fix }
    }
  },
}

function judge({ status, error, output, isolation }: RunResult, version: string): CheckResult {
  if (status === 'failed' || !isolation) {
    return { ok: false, detail: `${version}: the probe failed: ${error?.message}` }
  }
  const leaks = Object.entries(output as Record<string, unknown>).filter(([, able]) => able)
  if (leaks.length > 0) {
    const list = leaks.map(([what]) => what).join(', ')
    return { ok: false, detail: `${version}: a skill ${list}`, fix: 'Run no skill on this machine' }
  }
  const { namespaces, limits, tier, user } = isolation
  const weak = tier === 'weak' ? '; weak tier: this user may not make control groups' : ''
  return {
    ok: true,
    detail:
      `${version}, started: user ${user === 1000 ? '1000' : 'of its own'}, own ${namespaces.join(', ')}, ` +
      `system call filter, no network; memory by ${limits['memory']}, processes by ${limits['processes']}${weak}`,
  }
}

const MANUAL = 'Install the package "bubblewrap" with the package manager of this system'
const NAMESPACES =
  'Allow bwrap to make user namespaces: on Ubuntu install the AppArmor profile of bwrap, in a container run with user namespaces allowed'
