import { SkillsError } from '../../../errors.ts'
import type { DoctorCheck } from '../check.ts'
import { getSandboxTrial } from '../try-sandbox.ts'
import { evaluateSandboxRun } from './sandbox.ts'

/** A container engine answers, and a skill runs in it: for hosts other than Linux. */
export const containerEngineCheck: DoctorCheck = {
  id: 'container-engine',
  title: 'Container engine',
  needed: true,
  async run(machine) {
    const backend = await machine.sandboxes.openBackend('container')
    const found = await backend.probe(machine.env, machine.config.run.container)
    if (!found.ok) return found
    try {
      const { ok, detail, fix } = evaluateSandboxRun(await getSandboxTrial(machine, 'container'))
      return { ok, detail: `${found.detail}; ${detail}`, fix }
    } catch (error) {
      if (!(error instanceof SkillsError)) throw error
      return { ok: false, detail: `${found.detail}: ${error.message}`, fix: error.hint }
    }
  },
}
