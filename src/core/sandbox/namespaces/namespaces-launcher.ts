import { existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { resolveHostPath } from '../../languages/host-path.ts'
import type { Interpreter, SandboxRequest } from '../backend.ts'
import { buildHarnessCommand } from '../guest-host/harness-command.ts'
import {
  ORDINARY_UID,
  RUN_FDS,
  type LaunchCommand,
  type Launcher,
  type RunToLaunch,
} from '../linux/launcher.ts'
import { findDenyingSetting, formatSetting } from '../linux/choose-launcher.ts'
import { getNamespaceAdvice } from '../linux/namespace-advice.ts'
import { buildMountCommand } from '../rootfs/idmapped-folders.ts'
import { planKernelMounts, planRunMounts, planSystemMounts } from '../rootfs/mounts.ts'
import { listViewedFolders } from '../rootfs/views.ts'
import { SYSTEM_CALLS } from '../seccomp/system-calls.ts'
import { backendUnusableError } from '../start-errors.ts'
import { buildHostEnvironment, buildLauncherArgv, buildLaunchWords } from './launcher-command.ts'
import { buildNamespacesZygote } from './zygote-command.ts'

/**
 * Lets the guest's Python create the namespaces before it becomes the first process of the run, so
 * that no other program has to be installed.
 */
export const NAMESPACES: Launcher = {
  name: 'namespaces',
  summary: 'Namespaces and a system call filter, without another program',
  async probe() {
    if (!SYSTEM_CALLS[process.arch]) return { ok: false, detail: `no filter for ${process.arch}` }
    const denied = process.getuid?.() === 0 ? undefined : findDenyingSetting()
    return denied === undefined
      ? { ok: true, detail: 'this kernel allows namespaces' }
      : {
          ok: false,
          detail: `this kernel denies namespaces: ${formatSetting(denied)}`,
          fix: getNamespaceAdvice(),
        }
  },
  check() {
    if (existsSync('/proc/self/cwd')) return
    throw backendUnusableError(
      'This system has no /proc, which a sandbox needs',
      'Mount it with "mount -t proc proc /proc", or install podman or docker and choose --backend container',
    )
  },
  becomesGuest: true,
  describeNeeds: (interpreter) => ({
    launches: true,
    hasOtherInterpreter: !canBecomeRun(interpreter),
  }),
  buildRun: buildNamespacesRun,
  buildZygote: buildNamespacesZygote,
}

function buildNamespacesRun(request: SandboxRequest, run: RunToLaunch): LaunchCommand {
  const { staged, interpreter, asRoot, hostMounts, grouped } = run
  const top = join(staged.dir, 'root')
  mkdirSync(top, { mode: 0o700 })
  const steps = [
    ...planSystemMounts(staged, interpreter),
    ...planKernelMounts({ terminals: true, guest: staged.guest }),
    ...planRunMounts(request.limits, { ...staged, hostMounts, grouped }),
  ]
  return {
    argv: [
      ...buildMountCommand({ folders: hostMounts.idmapped }, staged, interpreter),
      ...buildLauncherArgv(interpreter),
      ...buildLaunchWords('run', RUN_FDS, asRoot),
    ],
    cwd: staged.guest,
    env: buildHostEnvironment(interpreter),
    mounts: steps,
    args: JSON.stringify({
      top,
      user: ORDINARY_UID,
      steps,
      views: listViewedFolders(steps, staged.copies),
      moves: interpreter.mounts.map(({ source, target }) => [source, target]),
      interpreter: canBecomeRun(interpreter) ? null : buildHarnessCommand(interpreter),
    }),
  }
}

/**
 * True if the launcher's process may become the skill's. It keeps the file that it executes open,
 * outside of all read-only mounts, so that file must belong to a user whom no run can be.
 */
function canBecomeRun(interpreter: Interpreter): boolean {
  const { uid, mode } = statSync(resolveHostPath(interpreter, interpreter.executable))
  return uid === 0 && (mode & 0o022) === 0
}
