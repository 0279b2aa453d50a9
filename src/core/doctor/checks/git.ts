import type { DoctorCheck } from '../check.ts'
import { runSystemProgram } from '../run-system-program.ts'

/** Optional: useful to authors, not needed by runs. */
export const gitCheck: DoctorCheck = {
  id: 'git',
  title: 'Git',
  needed: false,
  async run({ env }) {
    const { ok, stdout } = await runSystemProgram(['git', '--version'], env)
    return ok
      ? { ok, detail: stdout.trim().replace('git version ', '') }
      : { ok, detail: 'not found', fix: "Install git with this system's package manager" }
  },
}
