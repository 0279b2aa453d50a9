import type { Interpreter } from '../backend.ts'
import {
  libraryArguments,
  mountArguments,
  NAMESPACE_ARGUMENTS,
} from '../bubblewrap/bubblewrap-arguments.ts'
import { kernelMounts, systemMounts, type RootfsMount } from '../rootfs/mounts.ts'
import { PYTHON_FLAGS } from '../guest-host/python-flags.ts'
import { TOOLS, type ZygoteMount } from './tool-folders.ts'
import type { ZygoteFolder } from './zygote-folder.ts'

/** Descriptors as both bwraps and the zygote know them. */
export const ZYGOTE_FDS = { args: 3, info: 4, mapped: 5, host: 6, outerArgs: 7 }

/** Of runs that an ordinary user starts. */
export const ORDINARY_UID = 1000

/** Where the zygote sees the folder that skills and blobs of runs are laid out in. */
const STAGED_FOLDER = '/stage'

/** A step that a fork takes: what bwrap knows as well, and files of a few lines. */
export type GuestMountStep = RootfsMount | { kind: 'file'; target: string; text: string }

/** How a zygote is started: a program, its words, and what bwrap reads by its descriptors. */
interface ZygoteCommand {
  argv: readonly string[]
  args: readonly string[]
  outerArgs: readonly string[]
}

/**
 * A zygote in bwrap: no file of the host but /usr, the interpreter, the guest and the folder of what
 * is staged for runs. Root starts it as somebody else, who may not look into folders of root: before
 * that, another bwrap lays out what there is to see.
 */
export function buildZygoteCommand(at: {
  program: string
  folder: ZygoteFolder
  interpreter: Interpreter
  seen: readonly ZygoteMount[]
  user: number | undefined
}): ZygoteCommand {
  const { program, folder, interpreter, user } = at
  const system = systemMounts(folder, interpreter)
  const seen: RootfsMount[] = [
    ...system,
    // Left to itself, bwrap makes it for its own user only.
    { kind: 'folder', target: TOOLS },
    ...at.seen
      .filter(
        ({ target }) => !system.some((mount) => mount.kind === 'bind' && mount.target === target),
      )
      .map((each): RootfsMount => ({ kind: 'bind', ...each })),
    { kind: 'bind', source: folder.staged, target: STAGED_FOLDER },
  ]
  const zygote = [interpreter.executable, ...PYTHON_FLAGS, '/guest/zygote.py']
  const inner = [program, '--args', String(ZYGOTE_FDS.args), '--', ...zygote]
  const words = (mounts: RootfsMount[]) => zygoteArguments(mounts, interpreter, user)
  if (user === undefined) return { argv: inner, args: words(seen), outerArgs: [] }
  const drop = [interpreter.executable, '-I', '-S', '-c', SET_UID_AND_EXEC, String(user)]
  return {
    argv: [program, '--args', String(ZYGOTE_FDS.outerArgs), '--', ...drop, ...inner],
    args: words(seen.map(rebindFromTarget)),
    outerArgs: [
      [...seen, { kind: 'bind', source: program, target: program } as const].flatMap(
        mountArguments,
      ),
      ['--bind', '/proc', '/proc', '--dev-bind', '/dev', '/dev', '--dir', '/tmp', '--chdir', '/'],
      ['--cap-drop', 'ALL', '--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID'],
      libraryArguments(interpreter),
    ].flat(),
  }
}

/** Who has these numbers can no longer become anybody else; what it then starts has no right at all. */
const SET_UID_AND_EXEC =
  'import os, sys; user = int(sys.argv[1]); os.setgroups([]); os.setresgid(user, user, user); ' +
  'os.setresuid(user, user, user); os.execv(sys.argv[2], sys.argv[2:])'

function zygoteArguments(
  mounts: RootfsMount[],
  interpreter: Interpreter,
  user: number | undefined,
) {
  return [
    capabilityArguments(user),
    NAMESPACE_ARGUMENTS,
    mounts.flatMap(mountArguments),
    // Whole: the kernel gives no fresh one below it to who sees less than all of it.
    ['--proc', '/proc'],
    mountArguments({ kind: 'devices', terminals: false }),
    DEVICE_MOUNT_POINTS,
    ['--perms', '0700', '--size', '65536', '--tmpfs', '/door', '--dir', '/new'],
    ['--remount-ro', '/dev', '--remount-ro', '/', '--chdir', '/'],
    ['--info-fd', String(ZYGOTE_FDS.info)],
    libraryArguments(interpreter),
  ].flat()
}

/** Of file systems that each fork has for itself; all else in /dev is the same for all. */
const DEVICE_MOUNT_POINTS = [
  ['/dev/pts', '/dev/shm'].flatMap((target) => mountArguments({ kind: 'folder', target })),
  mountArguments({ kind: 'link', to: 'pts/ptmx', target: '/dev/ptmx' }),
].flat()

/** An ordinary user is one inside as well, and with root there are users for every run at hand. */
function capabilityArguments(user: number | undefined): string[] {
  const own = String(user ?? ORDINARY_UID)
  const rights = [...ZYGOTE_CAPABILITIES, ...(user === undefined ? [] : ['SETUID', 'SETGID'])]
  return [
    ['--unshare-user', '--uid', own, '--gid', own, '--cap-drop', 'ALL'],
    user === undefined ? [] : ['--userns-block-fd', String(ZYGOTE_FDS.mapped)],
    rights.flatMap((each) => ['--cap-add', `CAP_${each}`]),
  ].flat()
}

/** What it takes to make the namespaces and mounts of a run, in the zygote's own namespace of users. */
const ZYGOTE_CAPABILITIES = ['SYS_ADMIN', 'SYS_CHROOT', 'SETPCAP', 'NET_ADMIN']

/** What is laid out already. */
function rebindFromTarget(mount: RootfsMount): RootfsMount {
  return mount.kind === 'bind' ? { ...mount, source: mount.target } : mount
}

/** What every fork begins with, seen from the zygote's own root. */
export function planBaseMounts(folder: ZygoteFolder, interpreter: Interpreter): GuestMountStep[] {
  const mounts = systemMounts(folder, interpreter)
  const targets = mounts.flatMap((mount) => (mount.kind === 'bind' ? [mount.target] : []))
  const system = mounts.flatMap((mount): GuestMountStep[] => {
    const isEtc = mount.kind === 'bind' && mount.target === '/etc'
    return isEtc ? planEtcMounts(folder, targets) : [rebindFromTarget(mount)]
  })
  return [...system, ...kernelMounts({ terminals: true })]
}

/** The path of something staged, as the zygote sees it. */
export function mapStagedPath(folder: ZygoteFolder, path: string): string {
  return STAGED_FOLDER + path.slice(folder.staged.length)
}

/** Accounts are each run's own; the rest is common. */
function planEtcMounts(
  { common, accounts }: ZygoteFolder,
  made: readonly string[],
): GuestMountStep[] {
  const places = common.map((name) => `/etc/${name}`).filter((place) => !made.includes(place))
  return [
    ...places.map((place): GuestMountStep => ({ kind: 'bind', source: place, target: place })),
    ...Object.entries(accounts).map(([name, text]): GuestMountStep => ({
      kind: 'file',
      target: `/etc/${name}`,
      text,
    })),
  ]
}
