import { lstatSync, readlinkSync } from 'node:fs'
import { ALTERNATIVES } from './alternatives.ts'
import type { Interpreter, Limits } from '../backend.ts'
import type { GivenFolders } from './given-folders.ts'
import { PACKAGES } from '../guest-host/guest-files.ts'
import { INSIDE } from '../guest-host/guest-job.ts'

/** One step in laying out the root that a run sees; later ones may lie on earlier ones. */
export type Mount =
  /** A file or folder of the host, only to be read unless it says otherwise. */
  | { kind: 'bind'; source: string; target: string; writable?: boolean }
  | { kind: 'link'; to: string; target: string }
  /** An empty folder for mounts below it. */
  | { kind: 'folder'; target: string }
  /** A file system of the run's own, which anybody inside may write to. */
  | { kind: 'memory'; target: string; bytes: number }
  /** Its own processes; nothing in it can be written, and what lists the host's keys is empty. */
  | { kind: 'processes'; hidden: readonly string[] }
  | { kind: 'devices'; terminals: boolean }
  /** Nothing more is made here. */
  | { kind: 'seal'; target: string }

/** Folders that only memory backs, whose files count for the run. */
export const OWN_FILE_SYSTEMS = [INSIDE.workspace, '/tmp', '/dev/shm', '/blobs']

export const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty']

const SYSTEM_FOLDERS = ['/bin', '/lib', '/lib32', '/lib64', '/sbin']
/** Keyrings have no namespace: these list what the caller's session holds. */
const KEYS = ['/proc/keys', '/proc/key-users']

const SMALL = 64 * 1024 ** 2

/** What every run of an interpreter has in common. */
export function systemMounts(at: { etc: string; guest: string }, python: Interpreter): Mount[] {
  return [
    bind('/usr', '/usr'),
    ...systemFolders(),
    bind(at.etc, '/etc'),
    ...(isThere(ALTERNATIVES) ? [bind(ALTERNATIVES, ALTERNATIVES)] : []),
    bind(at.guest, '/guest'),
    { kind: 'link', to: `guest/${PACKAGES}`, target: `/${PACKAGES}` },
    ...python.mounts.map(({ source, target }) => bind(source, target)),
  ]
}

/** What the kernel gives to each run anew. */
export function kernelMounts({ terminals }: { terminals: boolean }): Mount[] {
  return [
    { kind: 'processes', hidden: KEYS.filter(isThere) },
    { kind: 'devices', terminals },
    { kind: 'memory', target: '/dev/shm', bytes: SMALL },
    { kind: 'seal', target: '/dev' },
  ]
}

/** Where a run may write, and what it was granted. */
export function ownMounts(
  limits: Pick<Limits, 'workspaceBytes'>,
  granted: {
    skills: readonly { name: string; path: string }[]
    blobs: readonly { name: string; path: string }[]
    given?: Pick<GivenFolders, 'workspace' | 'mounts'> | undefined
    code?: string | undefined
    tools?: readonly { source: string; target: string }[]
  },
): Mount[] {
  const { workspace, mounts = [] } = granted.given ?? {}
  const { code, tools = [] } = granted
  return [
    { kind: 'memory', target: '/tmp', bytes: SMALL },
    workspace === undefined
      ? { kind: 'memory', target: INSIDE.workspace, bytes: limits.workspaceBytes }
      : { ...bind(workspace, INSIDE.workspace), writable: true },
    { kind: 'memory', target: '/blobs', bytes: limits.workspaceBytes },
    ...granted.blobs.flatMap(({ name, path }): Mount[] => [
      bind(path, `/blobs/${name}`),
      { kind: 'link', to: name, target: `/blobs/blob:${name}` },
    ]),
    { kind: 'folder', target: '/skills' },
    ...granted.skills.map(({ name, path }) => bind(path, `/skills/${name}`)),
    ...(code === undefined ? [] : [bind(code, '/code')]),
    ...tools.flatMap(({ source, target }) => [...foldersAbove(target), bind(source, target)]),
    ...mounts
      .filter(({ target }) => !isInOneOf(target, [INSIDE.workspace, ...others(mounts, target)]))
      .flatMap(({ target }) => foldersAbove(target)),
    ...mounts.map((mount): Mount => ({ kind: 'bind', ...mount })),
    { kind: 'seal', target: '/' },
  ]
}

/** What is in /etc is there already; what is in /usr is seen as it is. */
function foldersAbove(target: string): Mount[] {
  const words = target.split('/').slice(1, -1)
  if (words[0] === 'etc') return []
  return words.map((_, at) => ({ kind: 'folder', target: `/${words.slice(0, at + 1).join('/')}` }))
}

function bind(source: string, target: string) {
  return { kind: 'bind', source, target } as const
}

/** What lies in another mount has its place there already. */
function isInOneOf(path: string, places: readonly string[]): boolean {
  return places.some((place) => path.startsWith(`${place}/`))
}

function others(mounts: GivenFolders['mounts'], own: string): string[] {
  return mounts.map(({ target }) => target).filter((target) => target !== own)
}

/** On most systems these are links into /usr; elsewhere they are folders of their own. */
function systemFolders(): Mount[] {
  return SYSTEM_FOLDERS.flatMap((folder): Mount[] => {
    const stat = lstatSync(folder, { throwIfNoEntry: false })
    if (stat?.isSymbolicLink()) return [{ kind: 'link', to: readlinkSync(folder), target: folder }]
    return stat?.isDirectory() ? [bind(folder, folder)] : []
  })
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}
