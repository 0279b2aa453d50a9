import { chownSync, lstatSync, readdirSync, realpathSync } from 'node:fs'
import { join, posix } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import type { Interpreter, HostFolder, SandboxRequest } from '../backend.ts'
import { copyFolder } from './copy-folder.ts'
import { GUEST_FOLDERS } from '../guest-host/guest-job.ts'
import type { DiskFolder } from '../guest-host/watch-disk.ts'
import { isRunUid, allocateRunUid } from '../guest-host/run-uid.ts'
import type { Isolation } from '../isolation.ts'
import { createMountPoints, type IdmapSupport, type IdmappedFolder } from './idmapped-folders.ts'
import type { StagedFiles } from './stage-files.ts'

/** Top-level folders of the sandbox itself. */
const RESERVED_FOLDERS = [
  'bin',
  'blobs',
  'boot',
  'dev',
  'etc',
  'guest',
  'lib',
  'lib32',
  'lib64',
  'proc',
]
const RESERVED_SYSTEM_FOLDERS = ['run', 'sbin', 'skills', 'sys', 'tmp', 'usr']

/** Part of the result of a run, for people. */
const POLLED = 'polled, not held by the kernel'

/** Host folders of a run, with resolved paths. */
interface CheckedMounts {
  workspace: string | undefined
  folders: readonly HostFolder[]
  /** Owner of the persistent workspace, if the run must use that user id. */
  user: number | undefined
}

/** Host folders, prepared for mounting. */
export interface HostMounts {
  workspace: string | undefined
  mounts: readonly { source: string; target: string; writable: boolean; isLive?: boolean }[]
  /** Writable folders on disk, whose size must be polled. */
  watched: readonly DiskFolder[]
  /** Paths inside that are filesystems of this run. */
  inMemory: readonly string[]
  /** Mounts to create before bwrap starts. */
  idmapped: readonly IdmappedFolder[]
  /** Copies in place of host folders. */
  copies: readonly string[]
  reported: Isolation['folders']
}

/** Checks the host folders of a request. `asRoot`: the run has another user id than the caller. */
export function checkHostFolders(
  { workspace, folders = [] }: Pick<SandboxRequest, 'workspace' | 'folders'>,
  asRoot: boolean,
): CheckedMounts {
  const workspacePath = workspace && resolveHostFolder(workspace.source)
  const all = folders.map((each) => ({ ...each, source: resolveHostFolder(each.source) }))
  all.forEach((each, index) =>
    checkMountTarget(each, [...all.slice(0, index), ...listWorkspaceMount(workspacePath)]),
  )
  const user =
    asRoot && workspacePath !== undefined ? resolveWorkspaceOwner(workspacePath) : undefined
  if (user === 0)
    throw notWritableError(
      workspacePath ?? '',
      'it belongs to root, and no run has the rights of root',
    )
  return { workspace: workspacePath, folders: all, user }
}

/** Context for making host folders accessible to the run's user. */
interface MountOptions {
  staged: StagedFiles
  /** User id of the run; undefined if it is the caller's. */
  user: number | undefined
  /** Enables idmapped mounts, for filesystems that support them. */
  idmapping?: { interpreter: Interpreter; disks: IdmapSupport } | undefined
}

/**
 * Prepares checked folders for mounting. Copies that replace an overlay are removed with the run.
 */
export async function prepareHostMounts(
  request: SandboxRequest,
  checked: CheckedMounts,
  options: MountOptions,
): Promise<HostMounts> {
  const { workspace, folders } = checked
  const all: PreparedMount[] = []
  for (const [index, folder] of folders.entries()) {
    all.push(await prepareMount(request, folder, { ...options, index }))
  }
  return {
    workspace,
    mounts: all.map(({ source, target, mode, isLive }) => ({
      source,
      target,
      writable: mode !== 'read-only',
      ...(isLive === true && { isLive }),
    })),
    watched: [
      ...(workspace === undefined ? [] : [watchAll(workspace)]),
      ...folders.flatMap(listOwnFolder),
      ...all.flatMap(({ how, mode, source }) =>
        how === 'copy' && mode === 'overlay' ? [watchAll(source)] : [],
      ),
    ],
    inMemory: all.flatMap(({ how, target }) => (how === 'overlay' ? [target] : [])),
    idmapped: all.flatMap(({ idmapped: owned }) => owned ?? []),
    copies: all.flatMap(({ how, source }) => (how === 'copy' ? [source] : [])),
    reported: describeFolders(all.filter(({ isTool }) => isTool !== true)),
  }
}

function describeFolders(folders: readonly PreparedMount[]): HostMounts['reported'] {
  return folders.length === 0 ? undefined : folders.map(({ target, how }) => ({ target, how }))
}

/** Reports how the limits of a run's folders on disk are enforced. */
export function describeDiskLimits({ workspace, watched }: HostMounts): Record<string, string> {
  return {
    ...(workspace !== undefined && { workspace: POLLED, inodes: POLLED }),
    ...(watched.some(({ path }) => path !== workspace) && { folders: POLLED }),
  }
}

function watchAll(path: string): DiskFolder {
  return { path, counts: 'all' }
}

function listOwnFolder({ isCounted, mode, source }: HostFolder): DiskFolder[] {
  if (isCounted === true) return [watchAll(source)]
  return mode === 'read-write' ? [{ path: source, counts: 'growth' }] : []
}

interface PreparedMount extends HostFolder {
  how: NonNullable<Isolation['folders']>[number]['how']
  idmapped?: IdmappedFolder
}

async function prepareMount(
  request: SandboxRequest,
  folder: HostFolder,
  options: MountOptions & { index: number },
): Promise<PreparedMount> {
  const { source, mode } = folder
  const { uid, mode: permissions } = lstatSync(source)
  const isOwn = options.user === undefined || uid === options.user
  if (mode !== 'overlay' && (isOwn || isPublicReadOnly(folder))) return { ...folder, how: mode }
  const planned = await planFirstMount(request, folder, options)
  if (planned) return { ...folder, source: getMountSource(planned), how: mode, idmapped: planned }
  if (mode === 'read-write') throw notWritableError(source, 'it belongs to another user')
  const isReadableByAll = (permissions & 0o005) === 0o005
  const isReady = isReadableByAll || folder.isTool === true
  if (mode === 'read-only' && isReady) return { ...folder, how: mode }
  return { ...folder, source: await copyIntoStaging(source, request, options), how: 'copy' }
}

/** Plans a mount that precedes the launcher; undefined if the folder needs none, or cannot have one. */
async function planFirstMount(
  request: SandboxRequest,
  folder: HostFolder,
  options: MountOptions & { index: number },
): Promise<IdmappedFolder | undefined> {
  if (options.user === undefined) return await planOwnOverlay(request, folder, options)
  const { uid } = lstatSync(folder.source)
  if (uid === options.user || isRunUid(uid)) return undefined
  return await planIdmappedMount(request, folder, options)
}

function getMountSource({ overlay, place }: IdmappedFolder): string {
  return overlay?.top ?? place
}

/** True if every user can read all of its content. */
function isPublicReadOnly({ mode, isPublic }: HostFolder): boolean {
  return mode === 'read-only' && isPublic === true
}

/** Plans an idmapped mount; undefined if the kernel or the filesystem does not support it. */
async function planIdmappedMount(
  { limits }: SandboxRequest,
  { source, mode }: HostFolder,
  { user = 0, staged, idmapping, index }: MountOptions & { index: number },
): Promise<IdmappedFolder | undefined> {
  if (!idmapping) return undefined
  const { disks, interpreter } = idmapping
  if (!(await disks.isSupported(source, staged, interpreter))) return undefined
  const context = { staged, user, bytes: limits.workspaceBytes }
  return createMountPoints(index, { source, isOverlay: mode === 'overlay' }, context)
}

/** Plans an overlay of an ordinary user; undefined if the kernel does not support one. */
async function planOwnOverlay(
  { limits }: SandboxRequest,
  { source, mode }: HostFolder,
  { staged, idmapping, index }: MountOptions & { index: number },
): Promise<IdmappedFolder | undefined> {
  // In an overlay, files of another user could not be changed.
  const isOwn = lstatSync(source).uid === process.getuid?.()
  if (!idmapping || mode !== 'overlay' || !isOwn) return undefined
  const { disks, interpreter } = idmapping
  if (!(await disks.supportsOverlay(source, staged, interpreter))) return undefined
  const context = { staged, user: null, bytes: limits.workspaceBytes }
  return createMountPoints(index, { source, isOverlay: true }, context)
}

async function copyIntoStaging(
  source: string,
  { limits }: SandboxRequest,
  { user, staged, index }: MountOptions & { index: number },
): Promise<string> {
  const copy = join(staged.dir, `copy-${index}`)
  try {
    const bounds = { maxBytes: limits.workspaceBytes, maxEntries: limits.inodes }
    const options = { ...bounds, isFaithful: true, user }
    await copyFolder(Buffer.from(source), Buffer.from(copy), options)
    return copy
  } catch (error) {
    throw copyError(source, error as NodeJS.ErrnoException)
  }
}

function listWorkspaceMount(source: string | undefined): HostFolder[] {
  return source === undefined
    ? []
    : [{ source, target: GUEST_FOLDERS.workspace, mode: 'read-write' }]
}

function resolveHostFolder(source: string): string {
  const stat = lstatSync(source, { throwIfNoEntry: false })
  const real = stat && realpathSync(source)
  if (real !== undefined && lstatSync(real).isDirectory() && real !== '/') return real
  throw new SkillsError(
    'file/not-found',
    `"${source}" is not a folder that can be mounted into a run`,
    {
      hint: 'Select an existing folder other than /',
    },
  )
}

function checkMountTarget({ target }: HostFolder, outer: readonly HostFolder[]): void {
  const [, top = ''] = target.split('/')
  if (!isPlainAbsolutePath(target))
    throw mountTargetError(target, 'it is not a plain absolute path')
  if ([...RESERVED_FOLDERS, ...RESERVED_SYSTEM_FOLDERS].includes(top)) {
    throw mountTargetError(target, `"/${top}" is part of the sandbox itself`)
  }
  if (target === GUEST_FOLDERS.workspace) throw mountTargetError(target, 'it is the workspace')
  const enclosing = outer.filter(
    (each) => target === each.target || target.startsWith(`${each.target}/`),
  )
  const inner = enclosing.sort((a, b) => b.target.length - a.target.length)[0]
  if (inner?.target === target) throw mountTargetError(target, 'another folder has the same target')
  // Creating a mount point would follow a symlink that a run has left there, on the host.
  if (inner && !hasPlainFolder(inner.source, target.slice(inner.target.length + 1))) {
    throw mountTargetError(
      target,
      `there is no such folder in the one mounted at "${inner.target}"`,
    )
  }
}

function isPlainAbsolutePath(path: string): boolean {
  const isAbsolute = path.startsWith('/') && path !== '/' && !path.endsWith('/')
  return isAbsolute && posix.normalize(path) === path && !path.includes('\0')
}

function hasPlainFolder(source: string, path: string): boolean {
  const segments = path.split('/')
  return segments.every((_, index) => {
    const part = join(source, ...segments.slice(0, index + 1))
    return lstatSync(part, { throwIfNoEntry: false })?.isDirectory() === true
  })
}

function mountTargetError(target: string, why: string): SkillsError {
  return new SkillsError('params/invalid', `A folder cannot be mounted at "${target}": ${why}`, {
    hint: 'Choose a path such as /data, or an existing folder below it',
    data: { param: 'folders', reason: why },
  })
}

/** Gives an empty workspace of root a user id of its own, which it keeps. */
function resolveWorkspaceOwner(workspace: string): number {
  const { uid } = lstatSync(workspace)
  if (uid !== 0 || readdirSync(workspace).length > 0) return uid
  const user = allocateRunUid()
  chownSync(workspace, user, user)
  return user
}

function notWritableError(folder: string, why: string): SkillsError {
  return new SkillsError('sandbox/unavailable', `No run can write to "${folder}": ${why}`, {
    hint: 'Mount it as an overlay, or start this as the user that owns the folder',
  })
}

function copyError(folder: string, { code, message }: NodeJS.ErrnoException): SkillsError {
  return new SkillsError(
    'sandbox/unavailable',
    `"${folder}" cannot be copied: ${code ?? message}`,
    {
      hint: 'Set run.limits.workspace in skills.config.toml to allow more',
    },
  )
}
