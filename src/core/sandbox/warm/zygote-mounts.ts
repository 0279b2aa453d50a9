import type { Interpreter } from '../backend.ts'
import { planKernelMounts, planSystemMounts, type RootfsMount } from '../rootfs/mounts.ts'
import { TOOLS_FOLDER, type ZygoteMount } from './tool-folders.ts'
import type { ZygoteFolder } from './zygote-folder.ts'

/** Path of the staging folder in the zygote. */
const STAGED_FOLDER = '/stage'

const SOCKETS_BYTES = 65_536

/** A mount step of a fork, or a small file with its text. */
export type GuestMountStep = RootfsMount | { kind: 'file'; target: string; text: string }

/**
 * Plans the host files that a zygote sees: /usr, the interpreter, the guest, programs and the
 * staging folder.
 */
export function planVisibleMounts(
  folder: ZygoteFolder,
  interpreter: Interpreter,
  programs: readonly ZygoteMount[],
): RootfsMount[] {
  const system = planSystemMounts(folder, interpreter)
  return [
    ...system,
    // Without this step, bwrap creates the folder for its own user only.
    { kind: 'folder', target: TOOLS_FOLDER },
    ...programs
      .filter(
        ({ target }) => !system.some((mount) => mount.kind === 'bind' && mount.target === target),
      )
      .map((each): RootfsMount => ({ kind: 'bind', ...each })),
    { kind: 'bind', source: folder.staged, target: STAGED_FOLDER },
  ]
}

/** Plans the root filesystem of a zygote around the files that it sees. */
export function planZygoteMounts(visible: readonly RootfsMount[]): RootfsMount[] {
  return [
    ...visible,
    { kind: 'proc' },
    { kind: 'devices', terminals: false },
    // Mount points of filesystems that each fork has for itself; the rest of /dev is shared.
    { kind: 'folder', target: '/dev/pts' },
    { kind: 'folder', target: '/dev/shm' },
    { kind: 'link', to: 'pts/ptmx', target: '/dev/ptmx' },
    { kind: 'memory', target: '/door', bytes: SOCKETS_BYTES, mode: '0700' },
    { kind: 'folder', target: '/new' },
    { kind: 'seal', target: '/dev' },
    { kind: 'seal', target: '/' },
  ]
}

/** Binds a mount from its own path, at which it is mounted already. */
export function rebindFromTarget(mount: RootfsMount): RootfsMount {
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
  return [...system, ...planKernelMounts({ terminals: true, guest: '/guest' })]
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
