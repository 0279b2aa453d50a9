import { SkillsError } from '../../../errors.ts'
import {
  explainStranger,
  selectIsolation,
  sharesKernelError,
} from '../../runs/checks/select-isolation.ts'
import { findRunscProblem } from '../../sandbox/container/gvisor/probe-runsc.ts'
import type { Isolation } from '../../sandbox/isolation.ts'
import { noControlGroupError } from '../../sandbox/start-errors.ts'
import type { CheckResult, DoctorCheck, Machine } from '../check.ts'
import { selectBackend } from '../selected-backend.ts'
import { getSandboxTrial } from '../try-sandbox.ts'

/** The wall between this machine and unread code: skills that were uploaded, fetched or are not signed. */
export const strangersCheck: DoctorCheck = {
  id: 'strangers',
  title: "Strangers' code",
  needed: false,
  async run(machine) {
    const { run } = machine.config
    const { strangers } = run.isolation
    const selected = selectIsolation(run, strangers === 'any' ? undefined : "Strangers' code")
    const selecting = { ...machine, config: { ...machine.config, run: { ...run, ...selected } } }
    const { name } = selectBackend(selecting)
    try {
      if (selected.needsOwnKernel && name !== 'container') throw sharesKernelError(name)
      const { isolation } = await getSandboxTrial(selecting, name)
      if (!isolation) return NOT_TRIED
      if (selected.strict && isolation.tier !== 'strict') throw noControlGroupError()
      return { ok: isolation.tier !== 'none', ...describeWalls(machine, isolation) }
    } catch (error) {
      if (!(error instanceof SkillsError)) throw error
      const explained = explainStranger(error, run, "Strangers' code is not signed")
      // Other checks report other problems.
      if (!(explained instanceof SkillsError) || explained === error) return NOT_TRIED
      return { ok: false, detail: explained.message, fix: explained.hint }
    }
  },
}

const NOT_TRIED: CheckResult = { ok: null, detail: 'not tried: no sandbox starts' }

function describeWalls(
  { config, env }: Machine,
  { backend, tier, kernel }: Isolation,
): { detail: string; fix?: string } {
  if (tier === 'none')
    return {
      detail: `${backend} isolates nothing: code can do what this user can`,
      fix: 'Remove run.backend = "process" from the configuration',
    }
  const walls =
    kernel === 'gvisor'
      ? `a kernel of its own (gVisor), by ${backend}`
      : `the kernel of this machine, by ${backend}`
  const canBeOwn = kernel === undefined && findRunscProblem(config.run.container, env) === undefined
  const own = canBeOwn
    ? '; run.isolation.strangers = "kernel" gives it one of its own (gVisor), which starts in seconds'
    : ''
  if (tier === 'strict') return { detail: `strict tier on ${walls}${own}` }
  return {
    detail: `weak tier on ${walls}: no control group limits memory; run.isolation.strangers = "strict" refuses such runs`,
  }
}
