import type { DoctorCheck } from '../check.ts'
import { selectBackend } from '../selected-backend.ts'

/** Backend that runs use, and the reason. */
export const backendCheck: DoctorCheck = {
  id: 'backend',
  title: 'Backend',
  needed: false,
  async run(machine) {
    const { name, reason } = selectBackend(machine)
    return { ok: true, detail: `${name}: ${reason}` }
  },
}
