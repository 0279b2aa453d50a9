import { SkillsError } from '../../../errors.ts'
import type { Isolation } from '../../sandbox/isolation.ts'
import type { DoctorCheck } from '../check.ts'
import { selectBackend } from '../selected-backend.ts'
import { getSandboxTrial } from '../try-sandbox.ts'

/** The wall between this machine and unread code: skills that were uploaded, are not signed or were never vetted. */
export const strangersCheck: DoctorCheck = {
  id: 'strangers',
  title: "Strangers' code",
  needed: false,
  async run(machine) {
    const { name } = selectBackend(machine)
    try {
      const { isolation } = await getSandboxTrial(machine, name)
      if (isolation) return { ok: isolation.tier !== 'none', ...describeWalls(isolation) }
    } catch (error) {
      // Other checks report it.
      if (!(error instanceof SkillsError)) throw error
    }
    return { ok: null, detail: 'not tried: no sandbox starts' }
  },
}

function describeWalls({ backend, tier, kernel }: Isolation): { detail: string; fix?: string } {
  if (tier === 'none')
    return {
      detail: `${backend} isolates nothing: code can do what this user can`,
      fix: 'Remove run.backend = "process" from the configuration',
    }
  const walls =
    kernel === 'gvisor'
      ? `a kernel of its own (gVisor), by ${backend}`
      : `the kernel of this machine, by ${backend}`
  if (tier === 'strict') return { detail: `strict tier on ${walls}` }
  return {
    detail: `weak tier on ${walls}: no control group limits memory; run.require_isolation = "strict" refuses such runs`,
  }
}
