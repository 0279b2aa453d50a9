import type { Check } from '../check.ts'
import { askSystem } from '../ask-system.ts'

/** Git: of use to authors, needed by nothing that runs. */
export const gitCheck: Check = {
  id: 'git',
  title: 'Git',
  needed: false,
  async run({ env }) {
    const { ok, stdout } = await askSystem(['git', '--version'], env)
    return ok
      ? { ok, detail: stdout.trim().replace('git version ', '') }
      : { ok, detail: 'not found', fix: 'Install git with the package manager of this system' }
  },
}
