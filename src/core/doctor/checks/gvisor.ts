import { SkillsError } from '../../../errors.ts'
import type { DoctorCheck, Machine } from '../check.ts'
import { trySandbox } from '../try-sandbox.ts'
import { evaluateSandboxRun } from './sandbox.ts'

/** Runs can have a kernel of gVisor, and a skill runs on it. */
export const gvisorCheck: DoctorCheck = {
  id: 'gvisor',
  title: 'gVisor',
  needed: false,
  async run(machine) {
    const { container } = machine.config.run
    const isSelected = container.runtime === 'runsc'
    const backend = await machine.sandboxes.openBackend('container')
    const found = await backend.probe(machine.env, { ...container, runtime: 'runsc' })
    // Runs do not need it unless they are set to use it.
    if (!found.ok) return { ...found, ok: isSelected ? false : null }
    try {
      const result = await trySandbox(withRunsc(machine), 'container')
      const { ok, detail, fix } = evaluateSandboxRun(result)
      const use = isSelected ? '' : '; run.container.runtime = "runsc" selects it'
      return { ok, detail: `${found.detail}; ${detail}${use}`, fix }
    } catch (error) {
      if (!(error instanceof SkillsError)) throw error
      return { ok: false, detail: `${found.detail}: ${error.message}`, fix: error.hint }
    }
  },
}

function withRunsc(machine: Machine): Machine {
  const { config } = machine
  const container = { ...config.run.container, runtime: 'runsc' as const }
  return { ...machine, config: { ...config, run: { ...config.run, container } } }
}
