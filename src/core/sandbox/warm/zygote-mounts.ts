import { join } from 'node:path'
import type { Interpreter } from '../backend.ts'
import { planKernelMounts, planSystemMounts, type RootfsMount } from '../rootfs/mounts.ts'
import { mapIntoZygote, TOOLS_FOLDER, type ZygoteMount } from './tool-folders.ts'
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
  return [
    ...planSystemMounts(folder, interpreter),
    // Without this step, bwrap creates the folder for its own user only.
    { kind: 'folder', target: TOOLS_FOLDER },
    ...programs.map((each): RootfsMount => ({ kind: 'bind', ...each })),
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

/**
 * Lists what the forks of a zygote mount of the host: the system, and programs that some of them
 * use. The zygote's own mounts of the system are not used, since others cover parts of them.
 */
export function listZygoteMounts(
  folder: ZygoteFolder,
  interpreter: Interpreter,
  tools: readonly string[],
): ZygoteMount[] {
  const system = listHostSources(planSystemMounts(folder, interpreter), folder.staged)
  return [...system, ...tools].map((source, at) => ({ source, target: `${TOOLS_FOLDER}/${at}` }))
}

/** Folder of the zygote with the guest's files, as its forks see it. */
export const GUEST_IN_ZYGOTE = `${STAGED_FOLDER}/guest`

/**
 * Plans the mounts that every fork starts with, by their paths in the zygote. `viewed` are the
 * folders of which a fork mounts views first.
 */
export function planBaseMounts(
  folder: ZygoteFolder,
  interpreter: Interpreter,
  programs: readonly ZygoteMount[],
): { base: GuestMountStep[]; viewed: string[] } {
  const mounts = planSystemMounts(folder, interpreter)
  const targets = mounts.flatMap((mount) => (mount.kind === 'bind' ? [mount.target] : []))
  const system = mounts.flatMap((mount): GuestMountStep[] => {
    if (mount.kind !== 'bind') return [mount]
    if (mount.target === '/etc') return planEtcMounts(folder, targets)
    return [{ ...mount, source: mapSource(folder, programs, mount.source) }]
  })
  const used = listHostSources(mounts, folder.staged)
  return {
    base: [...system, ...planKernelMounts({ terminals: true, guest: GUEST_IN_ZYGOTE })],
    viewed: [STAGED_FOLDER, ...used.map((source) => mapSource(folder, programs, source))],
  }
}

/** Lists the host's files and folders in a plan, without those inside others. */
function listHostSources(mounts: readonly RootfsMount[], staged: string): string[] {
  const sources = mounts.flatMap((mount) => (mount.kind === 'bind' ? [mount.source] : []))
  const isInside = (path: string, folder: string) => path.startsWith(`${folder}/`)
  return [...new Set(sources)].filter(
    (source) => !isInside(source, staged) && !sources.some((other) => isInside(source, other)),
  )
}

function mapSource(folder: ZygoteFolder, programs: readonly ZygoteMount[], source: string): string {
  return mapIntoZygote(programs, source) ?? mapStagedPath(folder, source)
}

/** Maps a staged path into the zygote. */
export function mapStagedPath(folder: ZygoteFolder, path: string): string {
  return STAGED_FOLDER + path.slice(folder.staged.length)
}

/** Plans /etc: account files are written per run, the rest is shared. */
function planEtcMounts(folder: ZygoteFolder, mountedTargets: readonly string[]): GuestMountStep[] {
  const { common, accounts } = folder
  const names = common.filter((name) => !mountedTargets.includes(`/etc/${name}`))
  return [
    ...names.map((name): GuestMountStep => ({
      kind: 'bind',
      source: mapStagedPath(folder, join(folder.etc, name)),
      target: `/etc/${name}`,
    })),
    ...Object.entries(accounts).map(([name, text]): GuestMountStep => ({
      kind: 'file',
      target: `/etc/${name}`,
      text,
    })),
  ]
}
