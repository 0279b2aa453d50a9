import type { RunResult } from '../../runs/result.ts'
import type { DoctorCheck, CheckResult, Machine } from '../check.ts'
import { NOT_TRIED, selectNamespaceBackend } from '../selected-backend.ts'
import { tryDelegatedScope } from '../try-delegated-scope.ts'
import { getSandboxTrial } from '../try-sandbox.ts'

/** Properties of a started sandbox, observed from inside. */
export const FEATURE_CHECKS: readonly DoctorCheck[] = [
  createFeatureCheck({ id: 'system-calls', title: 'System calls', needed: true }, (run) =>
    evaluateAttempt(
      run,
      'makes namespaces',
      'filtered: code in the sandbox cannot create namespaces',
    ),
  ),
  createFeatureCheck({ id: 'second-wall', title: 'Second wall', needed: false }, ({ isolation }) =>
    isolation?.landlock === true
      ? { ok: true, detail: 'Landlock: files outside of the root of a run stay closed to it' }
      : {
          ok: null,
          detail:
            'none: this kernel has no Landlock (Linux 5.19, or not started by its option lsm)',
        },
  ),
  createFeatureCheck({ id: 'keyring', title: 'Keyring', needed: true }, (run) =>
    evaluateAttempt(run, 'asks for keys', 'denied inside'),
  ),
  createFeatureCheck({ id: 'disk-quota', title: 'Disk quota', needed: true }, (run) =>
    evaluateAttempt(
      run,
      'writes more than its workspace holds',
      'enforced: the workspace has a size limit',
    ),
  ),
  createFeatureCheck(
    { id: 'control-groups', title: 'Control groups', needed: false },
    evaluateControlGroups,
  ),
]

type EvaluateRun = (run: RunResult, machine: Machine) => CheckResult | Promise<CheckResult>

function createFeatureCheck(
  definition: Pick<DoctorCheck, 'id' | 'title' | 'needed'>,
  evaluate: EvaluateRun,
): DoctorCheck {
  return {
    ...definition,
    run: async (machine) => {
      try {
        const run = await getSandboxTrial(machine, selectNamespaceBackend(machine))
        return run.status === 'failed' ? NOT_TRIED : await evaluate(run, machine)
      } catch {
        return NOT_TRIED
      }
    },
  }
}

function evaluateAttempt({ output }: RunResult, access: string, deniedDetail: string): CheckResult {
  const isDenied = (output as Record<string, unknown>)[access] === false
  return isDenied
    ? { ok: true, detail: deniedDetail }
    : { ok: false, detail: `a skill ${access}`, fix: 'Do not run skills on this machine' }
}

async function evaluateControlGroups(
  { isolation }: RunResult,
  { env, config }: Machine,
): Promise<CheckResult> {
  const { memory = 'none', processes = 'none' } = isolation?.limits ?? {}
  if (memory.startsWith('cgroup')) {
    const version = memory === 'cgroup2' ? '2' : '1'
    return {
      ok: true,
      detail: `version ${version}: memory and processes of a whole run are limited`,
    }
  }
  const { ok, detail, fix }: CheckResult =
    process.getuid?.() === 0
      ? {
          ok: false,
          detail: 'they are read-only here',
          fix: 'Start this container with writable control groups',
        }
      : await evaluateScope(env, config.run.scope)
  if (ok) return { ok, detail }
  const limits = `memory limited by ${memory}; processes by ${processes}`
  return { ok: false, detail: `not available to this user: ${limits}; ${detail}`, fix }
}

/** Tries a scope of systemd: what `skills doctor --fix` sets up, or what runs have already. */
async function evaluateScope(
  env: Machine['env'],
  scope: Machine['config']['run']['scope'],
): Promise<CheckResult> {
  const trial = await tryDelegatedScope(env)
  if (scope === 'none') {
    const fix = trial.ok
      ? `Type: skills doctor --fix (for all commands), or ${startLower(trial.fix)}`
      : trial.fix
    return { ...trial, ok: false, fix }
  }
  if (!trial.ok)
    return { ...trial, fix: `${trial.fix}, or type: skills config set --global run.scope none` }
  return {
    ok: true,
    detail:
      'version 2: commands that run skills start in a scope of systemd, where memory and processes of a whole run are limited (run.scope is "systemd"; to undo, type: skills config unset --global run.scope)',
  }
}

function startLower(text = ''): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
