import type { Check } from '../check.ts'
import { installPlan } from '../install-bubblewrap.ts'
import { runProgram } from '../run-program.ts'

const TRY = ['--unshare-all', '--die-with-parent', '--ro-bind', '/', '/', '--', '/bin/true']

/** Bubblewrap, really tried: new namespaces, the host's files read-only. */
export const bubblewrapCheck: Check = {
  id: 'bubblewrap',
  title: 'Bubblewrap',
  needed: true,
  async run({ env }) {
    const version = await runProgram('bwrap', ['--version'], { env })
    if (!version.ok) {
      const plan = await installPlan(env)
      return {
        ok: false,
        detail: 'not found: strict isolation is not available',
        fix: plan ? `Run "skills doctor --fix", or type: ${plan.line}` : MANUAL,
      }
    }
    const tried = await runProgram('bwrap', TRY, { env })
    return {
      ok: tried.ok,
      detail: tried.ok
        ? `${version.stdout.trim()}, starts with namespaces of its own`
        : `${version.stdout.trim()} cannot make namespaces: ${tried.stderr.trim()}`,
      fix: 'Allow unprivileged user namespaces: sysctl kernel.unprivileged_userns_clone=1',
    }
  },
}

const MANUAL = 'Install the package "bubblewrap" with the package manager of this system'
