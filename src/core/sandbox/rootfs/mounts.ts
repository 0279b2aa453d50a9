import { lstatSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { EMPTY_COVER, planCovers } from './covers.ts'
import type { HiddenFolder, Interpreter, Limits } from '../backend.ts'
import type { HostMounts } from './host-mounts.ts'
import { FILES_OF_HOST, FOLDERS_OF_HOST, selectReadable } from './host-facts.ts'
import { NODE_MODULES } from '../guest-host/guest-files.ts'
import { GUEST_FOLDERS } from '../guest-host/guest-job.ts'
import { listSystemSettings } from '../../../util/files/system-settings.ts'

/** One step of the mount plan; later mounts may cover earlier ones. */
export type RootfsMount =
  /** A host file or folder, read-only by default. */
  | { kind: 'bind'; source: string; target: string; writable?: boolean; isLive?: boolean }
  /** Another device in place of one. */
  | { kind: 'device'; source: string; target: string }
  | { kind: 'link'; to: string; target: string }
  /** An empty folder as a mount point. */
  | { kind: 'folder'; target: string }
  /** A tmpfs of this run, writable for every user inside unless it has another mode. */
  | { kind: 'memory'; target: string; bytes: number; mode?: string }
  /**
   * A procfs of the run's PID namespace. Its settings are read-only. /dev/null covers `files`, and
   * the empty folder `cover` the `folders`.
   */
  | { kind: 'processes'; files: readonly string[]; folders: readonly string[]; cover: string }
  /** A procfs without covers: the kernel requires one where others are to be mounted below. */
  | { kind: 'proc' }
  | { kind: 'devices'; terminals: boolean }
  /** Remounts the target read-only. */
  | { kind: 'seal'; target: string }

/** Folders backed by memory, whose files are counted. */
export const OWN_FILE_SYSTEMS = [GUEST_FOLDERS.workspace, '/tmp', '/dev/shm', '/blobs']

export const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty']

const SYSTEM_FOLDERS = ['/bin', '/lib', '/lib32', '/lib64', '/sbin']

/** Also reads as zeros, but cannot be mapped: shared mappings of /dev/zero are memory that nothing counts. */
const UNMAPPABLE_ZEROS = { kind: 'device', source: '/dev/full', target: '/dev/zero' } as const

const SCRATCH_BYTES = 64 * 1024 ** 2

/** Mounts that all runs of an interpreter share. */
export function planSystemMounts(
  paths: { etc: string; guest: string },
  python: Interpreter,
): RootfsMount[] {
  return [
    createBindMount('/usr', '/usr'),
    ...planSystemFolders(),
    createBindMount(paths.etc, '/etc'),
    ...listSystemSettings().map((path) => createBindMount(path, path)),
    createBindMount(paths.guest, '/guest'),
    { kind: 'link', to: `guest/${NODE_MODULES}`, target: `/${NODE_MODULES}` },
    ...python.mounts.map(({ source, target }) => createBindMount(source, target)),
    ...planCovers(python.hidden, paths.guest),
  ]
}

/** Kernel filesystems, created for each run. */
export function planKernelMounts({
  terminals,
  guest,
}: {
  terminals: boolean
  guest: string
}): RootfsMount[] {
  return [
    {
      kind: 'processes',
      files: selectReadable(FILES_OF_HOST),
      folders: selectReadable(FOLDERS_OF_HOST),
      cover: join(guest, EMPTY_COVER),
    },
    { kind: 'devices', terminals },
    { kind: 'memory', target: '/dev/shm', bytes: SCRATCH_BYTES },
    { kind: 'seal', target: '/dev' },
  ]
}

/** Writable folders and granted files of a run. */
export function planRunMounts(
  limits: Pick<Limits, 'workspaceBytes'>,
  granted: {
    skills: readonly { name: string; path: string }[]
    blobs: readonly { name: string; path: string }[]
    hostMounts?: Pick<HostMounts, 'workspace' | 'mounts'> | undefined
    code?: string | undefined
    tools?: readonly { source: string; target: string; isLive?: boolean }[]
    /** Folders in the tools to cover, and the path of the guest with their covers. */
    hidden?: readonly HiddenFolder[]
    guest: string
    /** True if a control group counts the memory of the run. */
    grouped: boolean
  },
): RootfsMount[] {
  const { workspace, mounts = [] } = granted.hostMounts ?? {}
  const { code, tools = [], hidden = [], guest } = granted
  return [
    ...(granted.grouped ? [] : [UNMAPPABLE_ZEROS]),
    { kind: 'memory', target: '/tmp', bytes: SCRATCH_BYTES },
    workspace === undefined
      ? { kind: 'memory', target: GUEST_FOLDERS.workspace, bytes: limits.workspaceBytes }
      : { ...createBindMount(workspace, GUEST_FOLDERS.workspace), writable: true },
    { kind: 'memory', target: '/blobs', bytes: limits.workspaceBytes },
    ...granted.blobs.flatMap(({ name, path }): RootfsMount[] => [
      createBindMount(path, `/blobs/${name}`),
      { kind: 'link', to: name, target: `/blobs/blob:${name}` },
    ]),
    { kind: 'folder', target: '/skills' },
    ...granted.skills.map(({ name, path }) => createBindMount(path, `/skills/${name}`)),
    ...(code === undefined ? [] : [createBindMount(code, '/code')]),
    ...tools.flatMap(({ source, target, isLive }): RootfsMount[] => [
      ...planParentFolders(target),
      { ...createBindMount(source, target), ...(isLive === true && { isLive }) },
    ]),
    ...mounts
      .filter(
        ({ target }) =>
          !isBelowAny(target, [GUEST_FOLDERS.workspace, ...listOtherTargets(mounts, target)]),
      )
      .flatMap(({ target }) => planParentFolders(target)),
    ...mounts.map((mount): RootfsMount => ({ kind: 'bind', ...mount })),
    // Credentials in a mounted folder are covered last.
    ...planCovers(hidden, guest),
    { kind: 'seal', target: '/' },
  ]
}

/**
 * Creates parent folders of a mount. /etc has its mount points already, and /usr is mounted
 * unchanged.
 */
function planParentFolders(target: string): RootfsMount[] {
  const segments = target.split('/').slice(1, -1)
  if (segments[0] === 'etc') return []
  return segments.map((_, index) => ({
    kind: 'folder',
    target: `/${segments.slice(0, index + 1).join('/')}`,
  }))
}

function createBindMount(source: string, target: string) {
  return { kind: 'bind', source, target } as const
}

/** True if the path is inside another mount, which provides its mount point. */
function isBelowAny(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path.startsWith(`${folder}/`))
}

function listOtherTargets(mounts: HostMounts['mounts'], excluded: string): string[] {
  return mounts.map(({ target }) => target).filter((target) => target !== excluded)
}

/** Links into /usr on most systems, real folders elsewhere. */
function planSystemFolders(): RootfsMount[] {
  return SYSTEM_FOLDERS.flatMap((folder): RootfsMount[] => {
    const stat = lstatSync(folder, { throwIfNoEntry: false })
    if (stat?.isSymbolicLink()) return [{ kind: 'link', to: readlinkSync(folder), target: folder }]
    return stat?.isDirectory() ? [createBindMount(folder, folder)] : []
  })
}
