import { chownSync, lstatSync, readdirSync, realpathSync } from 'node:fs'
import { join, posix } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import type { Interpreter, MountedFolder, SandboxRequest } from '../backend.ts'
import { copyFolder } from './copy-folder.ts'
import { INSIDE } from '../guest-host/guest-job.ts'
import { isUserOfRun, userOfRun } from '../guest-host/guest-user.ts'
import type { Isolation } from '../isolation.ts'
import { placesFor, type OwnableDisks, type OwnedFolder } from './owned-folders.ts'
import type { Stage } from './stage.ts'

/** What a sandbox is made of itself. */
const TAKEN = ['bin', 'blobs', 'boot', 'dev', 'etc', 'guest', 'lib', 'lib32', 'lib64', 'proc']
const TAKEN_TOO = ['run', 'sbin', 'skills', 'sys', 'tmp', 'usr']

/** Folders of the host that a run is given, as they really lie there. */
interface CheckedFolders {
  workspace: string | undefined
  folders: readonly MountedFolder[]
  /** Who the kept workspace belongs to, where a run has to be that user. */
  user: number | undefined
}

/** Folders of the host, ready to be mounted. */
export interface GivenFolders {
  workspace: string | undefined
  mounts: readonly { source: string; target: string; writable: boolean }[]
  /** Those of the run's own on a disk: somebody has to see to it that it does not fill them. */
  watched: readonly string[]
  /** Paths inside that are file systems of the run's own. */
  inMemory: readonly string[]
  /** What has to be done before bwrap starts. */
  owned: readonly OwnedFolder[]
  told: Isolation['folders']
}

/** Checks what a run is given; `asRoot`: the run is another user than the caller. */
export function checkFolders(
  { workspace, folders = [] }: Pick<SandboxRequest, 'workspace' | 'folders'>,
  asRoot: boolean,
): CheckedFolders {
  const kept = workspace && realFolder(workspace.source)
  const all = folders.map((each) => ({ ...each, source: realFolder(each.source) }))
  all.forEach((each, at) => checkTarget(each, [...all.slice(0, at), ...ofWorkspace(kept)]))
  const user = asRoot && kept !== undefined ? ownerOfKept(kept) : undefined
  if (user === 0) throw notWritable(kept ?? '', 'it belongs to root, which no run ever is')
  return { workspace: kept, folders: all, user }
}

/** How a run's own user comes by folders of the host. */
interface GiveOptions {
  staged: Stage
  /** Who the run is; undefined where that is the caller. */
  user: number | undefined
  /** What can have the kernel show files as another user's, where that is to be used, and on which disks. */
  ownership?: { interpreter: Interpreter; disks: OwnableDisks } | undefined
}

/** Readies what was checked; what stands for an overlay is removed with the run. */
export async function giveFolders(
  request: SandboxRequest,
  checked: CheckedFolders,
  options: GiveOptions,
): Promise<GivenFolders> {
  const { workspace, folders } = checked
  const all: GivenFolder[] = []
  for (const [at, folder] of folders.entries()) {
    all.push(await giveFolder(request, folder, { ...options, at }))
  }
  return {
    workspace,
    mounts: all.map(({ source, target, mode }) => ({
      source,
      target,
      writable: mode !== 'read-only',
    })),
    watched: [
      ...(workspace === undefined ? [] : [workspace]),
      ...folders.flatMap(({ isCounted, source }) => (isCounted === true ? [source] : [])),
      ...all.flatMap(({ how, mode, source }) =>
        how === 'copy' && mode === 'overlay' ? [source] : [],
      ),
    ],
    inMemory: all.flatMap(({ how, target }) => (how === 'overlay' ? [target] : [])),
    owned: all.flatMap(({ owned }) => owned ?? []),
    told: all.length === 0 ? undefined : all.map(({ target, how }) => ({ target, how })),
  }
}

interface GivenFolder extends MountedFolder {
  how: NonNullable<Isolation['folders']>[number]['how']
  owned?: OwnedFolder
}

async function giveFolder(
  request: SandboxRequest,
  folder: MountedFolder,
  options: GiveOptions & { at: number },
): Promise<GivenFolder> {
  const { source, mode } = folder
  const { uid, mode: rights } = lstatSync(source)
  const isOwn = options.user === undefined || uid === options.user
  if (mode !== 'overlay' && (isOwn || isReadable(folder))) return { ...folder, how: mode }
  const owned = isOwn || isUserOfRun(uid) ? undefined : await ownedFolder(request, folder, options)
  if (owned) return { ...folder, source: whereIs(owned), how: mode, owned }
  if (mode === 'read-write') throw notWritable(source, 'it belongs to somebody else')
  const isOpen = (rights & 0o005) === 0o005
  if (mode === 'read-only' && isOpen) return { ...folder, how: mode }
  return { ...folder, source: await copyOf(source, request, options), how: 'copy' }
}

function whereIs({ overlay, place }: OwnedFolder): string {
  return overlay?.top ?? place
}

/** To whomever, in all that is in it. */
function isReadable({ mode, isPublic }: MountedFolder): boolean {
  return mode === 'read-only' && isPublic === true
}

/** Undefined where the kernel cannot show its files as somebody else's. */
async function ownedFolder(
  { limits }: SandboxRequest,
  { source, mode }: MountedFolder,
  { user = 0, staged, ownership, at }: GiveOptions & { at: number },
): Promise<OwnedFolder | undefined> {
  if (!ownership) return undefined
  const { disks, interpreter } = ownership
  if (!(await disks.canBeOwned(source, staged, interpreter))) return undefined
  const own = { staged, user, bytes: limits.workspaceBytes }
  return placesFor(at, { source, isOverlay: mode === 'overlay' }, own)
}

async function copyOf(
  source: string,
  { limits }: SandboxRequest,
  { user, staged, at }: GiveOptions & { at: number },
): Promise<string> {
  const copy = join(staged.dir, `copy-${at}`)
  try {
    const bounds = { maxBytes: limits.workspaceBytes, maxEntries: limits.inodes }
    const options = { ...bounds, isFaithful: true, user }
    await copyFolder(Buffer.from(source), Buffer.from(copy), options)
    return copy
  } catch (error) {
    throw cannotCopy(source, error as NodeJS.ErrnoException)
  }
}

function ofWorkspace(source: string | undefined): MountedFolder[] {
  return source === undefined ? [] : [{ source, target: INSIDE.workspace, mode: 'read-write' }]
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
  if (target === INSIDE.workspace) throw wrongTarget(target, 'that is the workspace')
  const around = outer.filter(
    (each) => target === each.target || target.startsWith(`${each.target}/`),
  )
  const inner = around.sort((a, b) => b.target.length - a.target.length)[0]
  if (inner?.target === target) throw wrongTarget(target, 'another folder lies there')
  // What makes the mount would follow a link that a run has left there, on the host's side.
  if (inner && !isPlainFolder(inner.source, target.slice(inner.target.length + 1))) {
    throw wrongTarget(target, `there is no such folder in the one at "${inner.target}"`)
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
