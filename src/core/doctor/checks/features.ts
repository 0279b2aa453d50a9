import type { RunResult } from '../../runs/result.ts'
import type { Check, CheckResult } from '../check.ts'
import { triedSandbox } from '../try-sandbox.ts'

/** What a started sandbox shows of itself, seen from inside. */
export const FEATURE_CHECKS: readonly Check[] = [
  featureCheck({ id: 'system-calls', title: 'System calls', needed: true }, (run) =>
    keptFrom(run, 'makes namespaces', 'filtered: code inside cannot make namespaces'),
  ),
  featureCheck({ id: 'keyring', title: 'Keyring', needed: true }, (run) =>
    keptFrom(run, 'asks for keys', 'denied inside'),
  ),
  featureCheck({ id: 'disk-quota', title: 'Disk quota', needed: true }, (run) =>
    keptFrom(run, 'writes more than its workspace holds', 'held: the workspace has a size'),
  ),
  featureCheck({ id: 'control-groups', title: 'Control groups', needed: false }, judgeGroups),
]

type Judge = (run: RunResult) => CheckResult

function featureCheck(what: Pick<Check, 'id' | 'title' | 'needed'>, judge: Judge): Check {
  return {
    ...what,
    run: async (machine) => {
      try {
        const run = await triedSandbox(machine, 'bubblewrap')
        return run.status === 'failed' ? NOT_TRIED : judge(run)
      } catch {
        return NOT_TRIED
      }
    },
  }
}

/** Why, and what to do about it, is said by the check of the sandbox itself. */
const NOT_TRIED: CheckResult = { ok: false, detail: 'not tried: the sandbox did not start' }

function keptFrom({ output }: RunResult, able: string, held: string): CheckResult {
  const isHeld = (output as Record<string, unknown>)[able] === false
  return isHeld
    ? { ok: true, detail: held }
    : { ok: false, detail: `a skill ${able}`, fix: 'Run no skill on this machine' }
}

function judgeGroups({ isolation }: RunResult): CheckResult {
  const { memory = 'none', processes = 'none' } = isolation?.limits ?? {}
  if (memory.startsWith('cgroup')) {
    const version = memory === 'cgroup2' ? '2' : '1'
    return {
      ok: true,
      detail: `version ${version}: memory and processes of a whole run are bounded`,
    }
  }
  return {
    ok: false,
    detail: `none for this user: memory by ${memory}, processes by ${processes}`,
    fix: 'Run as root, or where systemd has version 2: systemd-run --user --scope -p Delegate=yes skills exec …',
  }
}
