import { chmod, copyFile, constants, lchown, lstat, mkdir, open, readdir } from 'node:fs/promises'
import { readlink, symlink } from 'node:fs/promises'

const MAX_ENTRIES = 100_000
/** Deeper folders are hard to remove. */
const MAX_DEPTH = 256

/** Limits of a copy, and the treatment of its files. */
interface CopyOptions {
  maxBytes: number
  maxEntries?: number
  /** Copies symlinks and modes. Otherwise, symlinks are left out and modes are normalized. */
  isFaithful?: boolean
  /** Owner of the copy; defaults to the caller. */
  user?: number | undefined
}

interface CopyState extends CopyOptions {
  entries: number
  leftOut: number
  depth: number
  bytesLeft: number
}

/**
 * Copies files and folders, as reflinks if the filesystem supports them. Returns the number of
 * entries left out, such as special files. File names need not be valid text, so paths are bytes.
 */
export async function copyFolder(
  from: Buffer,
  to: Buffer,
  options: CopyOptions,
): Promise<{ leftOut: number }> {
  const state = { ...options, entries: 0, leftOut: 0, depth: 0, bytesLeft: options.maxBytes }
  await copyTree(from, to, state)
  return { leftOut: state.leftOut }
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
    const stat = await lstat(source)
    if (stat.isDirectory()) await copyTree(source, target, state)
    else if (stat.isFile()) await copyRegularFile(source, target, state)
    else if (stat.isSymbolicLink() && state.isFaithful) {
      await symlink(await readlink(source, { encoding: 'buffer' }), target)
      await setOwner(target, state)
    } else state.leftOut += 1
  }
  if (state.isFaithful) await chmod(to, 0o755)
  await setOwner(to, state)
  state.depth -= 1
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

async function setOwner(path: Buffer, { user }: CopyState): Promise<void> {
  if (user !== undefined) await lchown(path, user, user)
}

function joinBytes(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat([folder, Buffer.from('/'), name])
}
