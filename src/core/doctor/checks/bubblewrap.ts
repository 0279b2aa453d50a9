import type { DoctorCheck } from '../check.ts'
import { planBubblewrapInstall } from '../install-bubblewrap.ts'
import { runSystemProgram } from '../run-system-program.ts'
import { selectBackend } from '../selected-backend.ts'

/** Options that the oldest supported bubblewrap lacks. */
const LATER_OPTIONS = [
  '--as-pid-1',
  '--disable-userns',
  '--perms',
  '--size',
  '--unshare-cgroup-try',
]
const MANUAL_INSTALL = 'Install the package "bubblewrap" with this system\'s package manager'

/** Bubblewrap is installed and supports every option in use, if runs use it. */
export const bubblewrapCheck: DoctorCheck = {
  id: 'bubblewrap',
  title: 'Bubblewrap',
  needed: true,
  async run(machine) {
    const { env } = machine
    const isSelected = selectBackend(machine).name === 'bubblewrap'
    const version = await runSystemProgram(['bwrap', '--version'], env)
    if (!version.ok && !isSelected) {
      return { ok: null, detail: 'not installed, and not needed' }
    }
    if (!version.ok) {
      const plan = await planBubblewrapInstall(env)
      return {
        ok: false,
        detail: 'not installed: the configured backend cannot run skills',
        fix: plan ? `Type: skills doctor --fix, or: ${plan.line}` : MANUAL_INSTALL,
      }
    }
    const { stdout, stderr } = await runSystemProgram(['bwrap', '--help'], env)
    const options = new Set(`${stdout}${stderr}`.match(/--[a-z0-9-]+/g))
    const missing = LATER_OPTIONS.filter((option) => !options.has(option))
    if (missing.length === 0) {
      return { ok: true, detail: `${version.stdout.trim().split(' ').at(-1)}, with every option` }
    }
    return {
      ok: isSelected ? false : null,
      detail: `${version.stdout.trim()} does not support ${missing.join(', ')}`,
      fix: 'Install bubblewrap 0.8 or newer',
    }
  },
}
