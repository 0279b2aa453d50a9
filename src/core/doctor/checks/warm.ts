import { allowsFastPaths } from '../../config/fast-paths.ts'
import { Sandboxes } from '../../sandbox/sandboxes.ts'
import type { BackendName } from '../../sandbox/isolation.ts'
import type { DoctorCheck, CheckResult, Machine } from '../check.ts'
import { NOT_TRIED, selectNamespaceBackend } from '../selected-backend.ts'
import { getSandboxTrial, trySandbox } from '../try-sandbox.ts'

/** Start path of runs on this machine and its reason: a server forks them if supported. */
export const warmCheck: DoctorCheck = {
  id: 'warm-runs',
  title: 'Warm runs',
  needed: false,
  async run(machine) {
    const unwanted = explainDisabledWarmRuns(machine)
    if (unwanted !== undefined) return { ok: true, detail: `${ALL_COLD}: ${unwanted}` }
    const backend = selectNamespaceBackend(machine)
    // Separate instance: runs of other checks must not be forked.
    const { python, hostPackages } = machine.config.run
    const { answers } = machine.sandboxes
    const sandboxes = new Sandboxes({ backend, python, hostPackages, answers })
    const warm = await sandboxes.keepWarm(machine)
    try {
      await warm.waitUntilSettled()
      if (warm.problem !== undefined) return await explainProblem(machine, backend, warm.problem)
      return evaluateWarmRun(await trySandbox({ ...machine, sandboxes }, backend))
    } catch (error) {
      return createColdResult((error as Error).message)
    } finally {
      await sandboxes.stop()
    }
  },
}

/** Reports the problem, unless it is that of every sandbox. */
async function explainProblem(
  machine: Machine,
  backend: BackendName,
  problem: string,
): Promise<CheckResult> {
  const trial = await getSandboxTrial(machine, backend).catch(() => undefined)
  return trial === undefined ? NOT_TRIED : createColdResult(problem)
}

const ALL_COLD = 'every run starts its own sandbox (path "cold")'

/** A feature that the configuration disables needs no fix. */
function explainDisabledWarmRuns({ env, config }: Machine): string | undefined {
  const { backend, warm } = config.run
  if (!allowsFastPaths(env)) return 'SKILLS_FAST_PATHS is false (reason "single call")'
  if (backend === 'container' || backend === 'process') {
    return `run.backend is "${backend}", which is never forked (reason "other backend")`
  }
  return warm !== false ? undefined : 'run.warm is false (reason "single call")'
}

function evaluateWarmRun({ status, isolation, output, error }: Awaited<SandboxTrial>): CheckResult {
  if (status === 'failed') return createColdResult(error?.message ?? 'the probe failed')
  const leaks = Object.entries(output as Record<string, unknown>).filter(
    ([, isAllowed]) => isAllowed,
  )
  if (leaks.length > 0) {
    const list = leaks.map(([access]) => access).join(', ')
    return { ok: false, detail: `a skill ${list}`, fix: 'Do not run skills on this machine' }
  }
  if (isolation?.path !== 'warm')
    return createColdResult(isolation?.reason ?? 'the run was not forked')
  const layout =
    isolation.memory_layout === 'own'
      ? 'each with an address-space layout of its own'
      : 'which share its address-space layout'
  return {
    ok: true,
    detail:
      `a server forks runs from a zygote (path "warm", reason "zygote"), ${layout}; a single call starts its ` +
      'own sandbox (path "cold", reason "single call"), as do runs with a network, folders or tools',
  }
}

type SandboxTrial = ReturnType<typeof trySandbox>

function createColdResult(why: string): CheckResult {
  return {
    ok: false,
    detail: `${ALL_COLD}: ${why}`,
    fix: 'No action is needed: runs are equally isolated, only slower',
  }
}
