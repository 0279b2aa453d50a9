import { DEFAULT_PATH, findProgram } from '../../../util/find-program.ts'
import type { SandboxRequest } from '../backend.ts'
import { findDenyingSetting } from '../linux/choose-launcher.ts'
import type { Launcher } from '../linux/launcher.ts'
import { RUN_FDS } from '../linux/launcher.ts'
import { buildMountCommand } from '../rootfs/idmapped-folders.ts'
import { listSeparateViews } from '../rootfs/views.ts'
import { SYSTEM_CALLS } from '../seccomp/system-calls.ts'
import { backendUnusableError } from '../start-errors.ts'
import {
  buildBubblewrapArguments,
  buildGuestCommand,
  encodeArguments,
  planBubblewrapMounts,
} from './bubblewrap-arguments.ts'
import { buildBubblewrapZygote } from './zygote-command.ts'

/** Lets the program bwrap create the namespaces. */
export const BUBBLEWRAP: Launcher = {
  name: 'bubblewrap',
  summary: 'Namespaces and a system call filter, by bubblewrap',
  async probe(env) {
    const program = findBubblewrap(env)
    if (program === undefined) return { ok: false, detail: 'bubblewrap is not installed' }
    if (!SYSTEM_CALLS[process.arch]) return { ok: false, detail: `no filter for ${process.arch}` }
    return { ok: true, detail: program }
  },
  check: (env) => void requireBubblewrap(env),
  becomesGuest: false,
  describeNeeds: () => ({ mountsViews: canMountViews() }),
  buildRun(request, run) {
    const { staged, interpreter, hostMounts } = run
    const mounts = planBubblewrapMounts(request, run)
    const views = canMountViews() ? listSeparateViews(mounts, staged.copies) : []
    return {
      argv: [
        ...buildMountCommand({ folders: hostMounts.idmapped, views }, staged, interpreter),
        requireBubblewrap(request.env),
        '--args',
        String(RUN_FDS.args),
        '--',
        ...buildGuestCommand(interpreter, run.asRoot),
      ],
      cwd: '/',
      env: {},
      mounts,
      args: encodeArguments(buildBubblewrapArguments(request, mounts, run)),
    }
  },
  buildZygote: (options) => buildBubblewrapZygote(requireBubblewrap(options.env), options),
}

/** True if a program before bwrap may create namespaces, in which it mounts views of folders. */
function canMountViews(): boolean {
  return process.getuid?.() === 0 || findDenyingSetting() === undefined
}

function findBubblewrap(env: SandboxRequest['env']): string | undefined {
  return findProgram('bwrap', env['PATH'] ?? DEFAULT_PATH)
}

function requireBubblewrap(env: SandboxRequest['env']): string {
  const program = findBubblewrap(env)
  if (program !== undefined) return program
  throw backendUnusableError(
    'Bubblewrap is not installed',
    'Type "skills doctor --fix" to install it, or leave out --backend bubblewrap',
  )
}
