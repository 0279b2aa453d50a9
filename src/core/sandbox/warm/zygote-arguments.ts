import type { Interpreter } from '../backend.ts'
import {
  buildLibraryArguments,
  buildMountArguments,
  NAMESPACE_ARGUMENTS,
} from '../bubblewrap/bubblewrap-arguments.ts'
import { planKernelMounts, planSystemMounts, type RootfsMount } from '../rootfs/mounts.ts'
import { PYTHON_FLAGS } from '../guest-host/python-flags.ts'
import { TOOLS_FOLDER, type ZygoteMount } from './tool-folders.ts'
import type { ZygoteFolder } from './zygote-folder.ts'

/** File descriptors shared by both bwrap processes and the zygote. */
export const ZYGOTE_FDS = { args: 3, info: 4, mapped: 5, host: 6, outerArgs: 7 }

/** User id inside for runs that a non-root user starts. */
export const ORDINARY_UID = 1000

/** Path of the staging folder in the zygote. */
const STAGED_FOLDER = '/stage'

/** A mount step of a fork, or a small file with its text. */
export type GuestMountStep = RootfsMount | { kind: 'file'; target: string; text: string }

/** Command of a zygote: argv, and the arguments that bwrap reads from descriptors. */
interface ZygoteCommand {
  argv: readonly string[]
  args: readonly string[]
  outerArgs: readonly string[]
}

/**
 * Builds the command of a zygote in bwrap. It sees no host files except /usr, the interpreter, the
 * guest and the staging folder. For root, the zygote has another user id, which cannot enter root's
 * folders: an outer bwrap therefore mounts them first.
 */
export function buildZygoteCommand(options: {
  program: string
  folder: ZygoteFolder
  interpreter: Interpreter
  mounts: readonly ZygoteMount[]
  user: number | undefined
}): ZygoteCommand {
  const { program, folder, interpreter, user } = options
  const system = planSystemMounts(folder, interpreter)
  const visible: RootfsMount[] = [
    ...system,
    // Without this step, bwrap creates the folder for its own user only.
    { kind: 'folder', target: TOOLS_FOLDER },
    ...options.mounts
      .filter(
        ({ target }) => !system.some((mount) => mount.kind === 'bind' && mount.target === target),
      )
      .map((each): RootfsMount => ({ kind: 'bind', ...each })),
    { kind: 'bind', source: folder.staged, target: STAGED_FOLDER },
  ]
  const zygote = [interpreter.executable, ...PYTHON_FLAGS, '/guest/zygote.py']
  const inner = [program, '--args', String(ZYGOTE_FDS.args), '--', ...zygote]
  const toArguments = (mounts: RootfsMount[]) => buildZygoteArguments(mounts, interpreter, user)
  if (user === undefined) return { argv: inner, args: toArguments(visible), outerArgs: [] }
  const setUid = [interpreter.executable, '-I', '-S', '-c', SET_UID_AND_EXEC, String(user)]
  return {
    argv: [program, '--args', String(ZYGOTE_FDS.outerArgs), '--', ...setUid, ...inner],
    args: toArguments(visible.map(rebindFromTarget)),
    outerArgs: [
      [...visible, { kind: 'bind', source: program, target: program } as const].flatMap(
        buildMountArguments,
      ),
      ['--bind', '/proc', '/proc', '--dev-bind', '/dev', '/dev', '--dir', '/tmp', '--chdir', '/'],
      ['--cap-drop', 'ALL', '--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID'],
      buildLibraryArguments(interpreter),
    ].flat(),
  }
}

/**
 * Sets all user and group ids, so that no other can be taken later; the program that follows has no
 * capabilities.
 */
const SET_UID_AND_EXEC =
  'import os, sys; user = int(sys.argv[1]); os.setgroups([]); os.setresgid(user, user, user); ' +
  'os.setresuid(user, user, user); os.execv(sys.argv[2], sys.argv[2:])'

function buildZygoteArguments(
  mounts: RootfsMount[],
  interpreter: Interpreter,
  user: number | undefined,
) {
  return [
    buildCapabilities(user),
    NAMESPACE_ARGUMENTS,
    mounts.flatMap(buildMountArguments),
    // Fully visible: otherwise the kernel refuses to mount a new procfs below it.
    ['--proc', '/proc'],
    buildMountArguments({ kind: 'devices', terminals: false }),
    DEVICE_MOUNT_POINTS,
    ['--perms', '0700', '--size', '65536', '--tmpfs', '/door', '--dir', '/new'],
    ['--remount-ro', '/dev', '--remount-ro', '/', '--chdir', '/'],
    ['--info-fd', String(ZYGOTE_FDS.info)],
    buildLibraryArguments(interpreter),
  ].flat()
}

/** Mount points for filesystems that each fork has for itself; the rest of /dev is shared. */
const DEVICE_MOUNT_POINTS = [
  ['/dev/pts', '/dev/shm'].flatMap((target) => buildMountArguments({ kind: 'folder', target })),
  buildMountArguments({ kind: 'link', to: 'pts/ptmx', target: '/dev/ptmx' }),
].flat()

/**
 * Capabilities and user ids of the zygote. An ordinary user has one id; root maps a range for the
 * runs.
 */
function buildCapabilities(user: number | undefined): string[] {
  const uid = String(user ?? ORDINARY_UID)
  const capabilities = [...ZYGOTE_CAPABILITIES, ...(user === undefined ? [] : ['SETUID', 'SETGID'])]
  return [
    ['--unshare-user', '--uid', uid, '--gid', uid, '--cap-drop', 'ALL'],
    user === undefined ? [] : ['--userns-block-fd', String(ZYGOTE_FDS.mapped)],
    capabilities.flatMap((each) => ['--cap-add', `CAP_${each}`]),
  ].flat()
}

/**
 * Capabilities to create the namespaces and mounts of a run, within the zygote's user namespace.
 */
const ZYGOTE_CAPABILITIES = ['SYS_ADMIN', 'SYS_CHROOT', 'SETPCAP', 'NET_ADMIN']

/** Binds a mount from the path at which the outer bwrap has mounted it. */
function rebindFromTarget(mount: RootfsMount): RootfsMount {
  return mount.kind === 'bind' ? { ...mount, source: mount.target } : mount
}

/** Plans the mounts that every fork starts with, by their paths in the zygote. */
export function planBaseMounts(folder: ZygoteFolder, interpreter: Interpreter): GuestMountStep[] {
  const mounts = planSystemMounts(folder, interpreter)
  const targets = mounts.flatMap((mount) => (mount.kind === 'bind' ? [mount.target] : []))
  const system = mounts.flatMap((mount): GuestMountStep[] => {
    const isEtc = mount.kind === 'bind' && mount.target === '/etc'
    return isEtc ? planEtcMounts(folder, targets) : [rebindFromTarget(mount)]
  })
  return [...system, ...planKernelMounts({ terminals: true })]
}

/** Maps a staged path into the zygote. */
export function mapStagedPath(folder: ZygoteFolder, path: string): string {
  return STAGED_FOLDER + path.slice(folder.staged.length)
}

/** Plans /etc: account files are written per run, the rest is shared. */
function planEtcMounts(
  { common, accounts }: ZygoteFolder,
  mountedTargets: readonly string[],
): GuestMountStep[] {
  const paths = common
    .map((name) => `/etc/${name}`)
    .filter((path) => !mountedTargets.includes(path))
  return [
    ...paths.map((path): GuestMountStep => ({ kind: 'bind', source: path, target: path })),
    ...Object.entries(accounts).map(([name, text]): GuestMountStep => ({
      kind: 'file',
      target: `/etc/${name}`,
      text,
    })),
  ]
}
