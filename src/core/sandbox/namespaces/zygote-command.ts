import { PYTHON_FLAGS } from '../guest-host/python-flags.ts'
import {
  ORDINARY_UID,
  ZYGOTE_FDS,
  type ZygoteCommand,
  type ZygoteOptions,
} from '../linux/launcher.ts'
import type { RootfsMount } from '../rootfs/mounts.ts'
import { planVisibleMounts, planZygoteMounts, rebindFromTarget } from '../warm/zygote-mounts.ts'
import {
  buildHostEnvironment,
  buildLauncherArgv,
  buildLaunchWords,
  LAUNCH_FILE,
} from './launcher-command.ts'

/**
 * Builds the command of a zygote. For root, the zygote has another user id, which cannot enter
 * root's folders: an outer launcher therefore mounts them first.
 */
export function buildNamespacesZygote(options: ZygoteOptions): ZygoteCommand {
  const { folder, interpreter, mounts: programs, user } = options
  const visible = planVisibleMounts(folder, interpreter, programs)
  const { libraries } = interpreter
  const environment = libraries === undefined ? {} : { LD_LIBRARY_PATH: libraries }
  const zygote = {
    user: user ?? ORDINARY_UID,
    is_mapped_by_host: user !== undefined,
    capabilities: encodeCapabilities(user !== undefined),
    argv: [interpreter.executable, ...PYTHON_FLAGS, '/guest/zygote.py'],
    environment,
  }
  const ownWords = buildLaunchWords('zygote', ZYGOTE_FDS, false)
  const host = {
    cwd: folder.guest,
    env: buildHostEnvironment(interpreter),
    argv: [
      ...buildLauncherArgv(interpreter),
      ...(user === undefined ? ownWords : buildLaunchWords('view', OUTER_FDS, true)),
    ],
  }
  if (user === undefined) {
    const steps = planZygoteMounts(visible)
    return { ...host, args: JSON.stringify({ ...zygote, top: folder.top, steps }), outerArgs: '' }
  }
  return {
    ...host,
    args: JSON.stringify({
      ...zygote,
      top: VIEW_TOP,
      steps: planZygoteMounts(visible.map(rebindFromTarget)),
    }),
    outerArgs: JSON.stringify({
      user,
      top: folder.top,
      steps: [...visible, ...HOST_KERNEL_MOUNTS, { kind: 'folder', target: VIEW_TOP }],
      argv: [interpreter.executable, ...PYTHON_FLAGS, LAUNCH_FILE, ...ownWords],
      environment,
    }),
  }
}

/** The outer launcher reports nothing. */
const OUTER_FDS = { args: ZYGOTE_FDS.outerArgs, info: 0 }

/** Folder in the view of the zygote's user at which its root is mounted. */
const VIEW_TOP = '/tmp'

/** The host's own, unchanged: the kernel requires a fully visible procfs to mount another. */
const HOST_KERNEL_MOUNTS: readonly (RootfsMount & { flags: number })[] = ['/proc', '/dev'].map(
  (path) => ({ kind: 'bind', source: path, target: path, flags: 0 }),
)

/** Numbers of the capabilities to create the namespaces and mounts of a run, and to limit it. */
const CAPABILITY_NUMBERS = {
  SETPCAP: 8,
  NET_ADMIN: 12,
  SYS_CHROOT: 18,
  SYS_ADMIN: 21,
  SYS_RESOURCE: 24,
}
/** For runs that have user ids of their own. */
const USER_CAPABILITY_NUMBERS = { SETGID: 6, SETUID: 7 }

function encodeCapabilities(assignsUsers: boolean): number {
  const numbers = [
    ...Object.values(CAPABILITY_NUMBERS),
    ...(assignsUsers ? Object.values(USER_CAPABILITY_NUMBERS) : []),
  ]
  return numbers.reduce((mask, number) => mask + 2 ** number, 0)
}
