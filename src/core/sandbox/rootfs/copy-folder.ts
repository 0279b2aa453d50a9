import type { Stats } from 'node:fs'
import {
  access,
  chmod,
  copyFile,
  constants,
  lchown,
  lstat,
  mkdir,
  open,
  readdir,
} from 'node:fs/promises'
import { readlink, symlink } from 'node:fs/promises'

const MAX_ENTRIES = 100_000
/** Read, write and search permission for the owner. */
const OWNER_ACCESS = 0o700
/** Deeper folders are hard to remove. */
const MAX_DEPTH = 256

/** Limits of a copy, and the treatment of its files. */
interface CopyOptions {
  maxBytes: number
  maxEntries?: number
  /**
   * Copies symlinks and modes. Otherwise, symlinks are left out, modes are normalized, and the
   * source must be a folder that nothing uses any more: locked entries of it are unlocked.
   */
  isFaithful?: boolean
  /** Owner of the copy; defaults to the caller. */
  user?: number | undefined
}

interface CopyState extends CopyOptions {
  entries: number
  leftOut: number
  unreadable: Buffer[]
  depth: number
  bytesLeft: number
}

/** Result of a copy. */
interface FolderCopy {
  /** Number of symlinks and special files. */
  leftOut: number
  /** Paths of entries that cannot be read, relative to the folder. */
  unreadable: string[]
}

/**
 * Copies files and folders, as reflinks if the filesystem supports them. Returns what
 * was left out, such as special files. File names need not be valid text, so paths are bytes.
 */
export async function copyFolder(
  from: Buffer,
  to: Buffer,
  options: CopyOptions,
): Promise<FolderCopy> {
  const counters = { entries: 0, leftOut: 0, depth: 0, bytesLeft: options.maxBytes }
  const state: CopyState = { ...options, ...counters, unreadable: [] }
  await copyTree(from, to, state)
  const unreadable = state.unreadable.map((path) => path.subarray(from.length + 1).toString())
  return { leftOut: state.leftOut, unreadable }
}

async function copyTree(from: Buffer, to: Buffer, state: CopyState): Promise<void> {
  const { maxEntries = MAX_ENTRIES } = state
  state.depth += 1
  if (state.depth > MAX_DEPTH) throw new Error(`its folders are more than ${MAX_DEPTH} levels deep`)
  await mkdir(to, { mode: 0o700 })
  for (const name of await readdir(from, { encoding: 'buffer' })) {
    state.entries += 1
    if (state.entries > maxEntries) throw new Error(`it contains more than ${maxEntries} files`)
    const [source, target] = [joinBytes(from, name), joinBytes(to, name)]
    await copyEntry(source, target, state)
  }
  if (state.isFaithful) await chmod(to, 0o755)
  await setOwner(to, state)
  state.depth -= 1
}

async function copyEntry(source: Buffer, target: Buffer, state: CopyState): Promise<void> {
  const stat = await lstat(source)
  const isRegular = stat.isDirectory() || stat.isFile()
  if (isRegular && !(await unlock(source, stat, state))) state.unreadable.push(source)
  else if (stat.isDirectory()) await copyTree(source, target, state)
  else if (stat.isFile()) await copyRegularFile(source, target, state)
  else if (stat.isSymbolicLink() && state.isFaithful) {
    await symlink(await readlink(source, { encoding: 'buffer' }), target)
    await setOwner(target, state)
  } else state.leftOut += 1
}

/** Copies through a descriptor, so that a file swapped in meanwhile is not followed. */
async function copyRegularFile(source: Buffer, target: Buffer, state: CopyState): Promise<void> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, COPYFILE_EXCL, COPYFILE_FICLONE } = constants
  const file = await open(source, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const stat = await file.stat()
    if (!stat.isFile()) throw new Error('a file changed while it was copied')
    // Counts the apparent size: a sparse file may expand when it is copied.
    state.bytesLeft -= stat.size
    if (state.bytesLeft < 0) throw new Error('its files exceed the size limit')
    await copyFile(`/proc/self/fd/${file.fd}`, target, COPYFILE_EXCL | COPYFILE_FICLONE)
    await chmod(target, state.isFaithful ? (stat.mode & 0o777) | 0o600 : 0o644)
    await setOwner(target, state)
  } finally {
    await file.close()
  }
}

/** Returns false for an entry that this process can neither read nor unlock. */
async function unlock(path: Buffer, { mode }: Stats, { isFaithful }: CopyState): Promise<boolean> {
  if (isFaithful === true || (mode & OWNER_ACCESS) === OWNER_ACCESS) return true
  try {
    // Not followed: lstat has returned a file or a folder, and nothing changes it any more.
    await chmod(path, (mode & 0o777) | OWNER_ACCESS)
    return true
  } catch {
    const isReadable = await access(path, constants.R_OK).then(
      () => true,
      () => false,
    )
    return isReadable
  }
}

async function setOwner(path: Buffer, { user }: CopyState): Promise<void> {
  if (user !== undefined) await lchown(path, user, user)
}

function joinBytes(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat([folder, Buffer.from('/'), name])
}
