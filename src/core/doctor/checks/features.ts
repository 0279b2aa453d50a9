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
  { env }: Machine,
): Promise<CheckResult> {
  const { memory = 'none', processes = 'none' } = isolation?.limits ?? {}
  if (memory.startsWith('cgroup')) {
    const version = memory === 'cgroup2' ? '2' : '1'
    return {
      ok: true,
      detail: `version ${version}: memory and processes of a whole run are limited`,
    }
  }
  const { detail, fix } =
    process.getuid?.() === 0
      ? {
          detail: 'they are read-only here',
          fix: 'Start this container with writable control groups',
        }
      : await tryDelegatedScope(env)
  const limits = `memory limited by ${memory}; processes by ${processes}`
  return { ok: false, detail: `not available to this user: ${limits}; ${detail}`, fix }
}
