import { chownSync, lstatSync, readdirSync, realpathSync } from 'node:fs'
import { join, posix } from 'node:path'
import { SkillsError } from '../../errors.ts'
import type { MountedFolder, SandboxRequest } from './backend.ts'
import { copyFolder } from './copy-folder.ts'
import { userOfRun } from './guest-user.ts'
import type { Isolation } from './isolation.ts'

export const WORKSPACE = '/workspace'
/** What a sandbox is made of itself. */
const TAKEN = ['bin', 'blobs', 'boot', 'dev', 'etc', 'guest', 'lib', 'lib32', 'lib64', 'proc']
const TAKEN_TOO = ['run', 'sbin', 'skills', 'sys', 'tmp', 'usr']

/** Folders of the host, ready to be mounted. */
export interface GivenFolders {
  workspace: string | undefined
  mounts: readonly { source: string; target: string; writable: boolean }[]
  /** Those of the run's own on a disk: somebody has to see to it that it does not fill them. */
  watched: readonly string[]
  /** Who a run has to be to write to them; undefined where that makes no difference. */
  user: number | undefined
  told: Isolation['folders']
}

/** Checks what a run is given; `asRoot`: the run is another user than the caller. */
export function checkFolders(
  { workspace, folders = [] }: Pick<SandboxRequest, 'workspace' | 'folders'>,
  asRoot: boolean,
): Omit<GivenFolders, 'told'> {
  const kept = workspace && realFolder(workspace.source)
  const all = folders.map((each) => ({ ...each, source: realFolder(each.source) }))
  all.forEach((each, at) => checkTarget(each, [...all.slice(0, at), ...ofWorkspace(kept)]))
  const writable = all.filter(({ mode }) => mode === 'read-write').map(({ source }) => source)
  return {
    workspace: kept,
    mounts: all.map(({ source, target, mode }) => ({
      source,
      target,
      writable: mode !== 'read-only',
    })),
    watched: kept === undefined ? [] : [kept],
    user: asRoot ? ownerOf(kept, writable) : undefined,
  }
}

/** Makes the copies that stand for overlays, below a folder that is removed with the run. */
export async function giveFolders(
  request: SandboxRequest,
  checked: Omit<GivenFolders, 'told'>,
  { dir, user }: { dir: string; user: number | undefined },
): Promise<GivenFolders> {
  const { folders = [], limits } = request
  const mounts = [...checked.mounts]
  const copies: string[] = []
  for (const [at, { mode, source }] of folders.entries()) {
    if (mode !== 'overlay') continue
    const copy = join(dir, `overlay-${at}`)
    copies.push(copy)
    const bounds = { maxBytes: limits.workspaceBytes, maxEntries: limits.inodes }
    try {
      const mount = mounts[at] as GivenFolders['mounts'][number]
      const options = { ...bounds, isFaithful: true, user }
      await copyFolder(Buffer.from(mount.source), Buffer.from(copy), options)
      mounts[at] = { ...mount, source: copy }
    } catch (error) {
      throw cannotCopy(source, error as NodeJS.ErrnoException)
    }
  }
  return {
    ...checked,
    mounts,
    watched: [...checked.watched, ...copies],
    told:
      folders.length === 0
        ? undefined
        : folders.map(({ target, mode }) => ({ target, how: mode === 'overlay' ? 'copy' : mode })),
  }
}

function ofWorkspace(source: string | undefined): MountedFolder[] {
  return source === undefined ? [] : [{ source, target: WORKSPACE, mode: 'read-write' }]
}

function realFolder(source: string): string {
  const stat = lstatSync(source, { throwIfNoEntry: false })
  const real = stat && realpathSync(source)
  if (real !== undefined && lstatSync(real).isDirectory() && real !== '/') return real
  throw new SkillsError('file/not-found', `There is no folder "${source}" to give to a run`, {
    hint: 'Name a folder that is there',
  })
}

function checkTarget({ target }: MountedFolder, outer: readonly MountedFolder[]): void {
  const [, top = ''] = target.split('/')
  if (!isPlainPath(target)) throw wrongTarget(target, 'it is no plain absolute path')
  if ([...TAKEN, ...TAKEN_TOO].includes(top)) {
    throw wrongTarget(target, `"/${top}" is what the sandbox is made of`)
  }
  if (target === WORKSPACE) throw wrongTarget(target, 'that is the workspace')
  for (const each of outer) {
    if (each.target === target) throw wrongTarget(target, 'another folder lies there')
    if (!target.startsWith(`${each.target}/`)) continue
    // What makes the mount would follow a link that a run has left there, on the host's side.
    if (!isPlainFolder(each.source, target.slice(each.target.length + 1))) {
      throw wrongTarget(target, `there is no such folder in the one at "${each.target}"`)
    }
  }
}

function isPlainPath(path: string): boolean {
  const isAbsolute = path.startsWith('/') && path !== '/' && !path.endsWith('/')
  return isAbsolute && posix.normalize(path) === path && !path.includes('\0')
}

function isPlainFolder(source: string, path: string): boolean {
  const words = path.split('/')
  return words.every((_, at) => {
    const part = join(source, ...words.slice(0, at + 1))
    return lstatSync(part, { throwIfNoEntry: false })?.isDirectory() === true
  })
}

function wrongTarget(target: string, why: string): SkillsError {
  return new SkillsError('params/invalid', `A folder cannot be given as "${target}": ${why}`, {
    hint: 'Choose a path such as /data, or a folder of it that is there',
    data: { param: 'folders', reason: why },
  })
}

/** A run of root's is nobody that owns anything yet: who it is follows from what it may change. */
function ownerOf(workspace: string | undefined, folders: readonly string[]): number | undefined {
  const owners = folders.map((folder) => ({ folder, user: lstatSync(folder).uid }))
  if (workspace !== undefined) owners.push({ folder: workspace, user: ownerOfKept(workspace) })
  const [first] = owners
  for (const { folder, user } of owners) {
    if (user === 0) throw notWritable(folder, 'it belongs to root, which no run ever is')
    if (user !== first?.user) throw notWritable(folder, 'another of its folders has another owner')
  }
  return first?.user
}

/** An empty one is given to a user of its own, which it has from then on. */
function ownerOfKept(workspace: string): number {
  const { uid } = lstatSync(workspace)
  if (uid !== 0 || readdirSync(workspace).length > 0) return uid
  const user = userOfRun()
  chownSync(workspace, user, user)
  return user
}

function notWritable(folder: string, why: string): SkillsError {
  return new SkillsError('sandbox/unavailable', `No run can write to "${folder}": ${why}`, {
    hint: 'Give it as an overlay, or start this as the user that the folder belongs to',
  })
}

function cannotCopy(folder: string, { code, message }: NodeJS.ErrnoException): SkillsError {
  return new SkillsError(
    'sandbox/unavailable',
    `"${folder}" cannot be copied: ${code ?? message}`,
    {
      hint: 'Set run.limits.workspace and run.limits.inodes in skills.config.toml to allow more',
    },
  )
}
