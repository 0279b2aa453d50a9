import { link, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BlobLease } from './blob-store.ts'
import { blobNotFoundError, parseBlobFolder } from './blob-id.ts'
import { findLeftovers, listNames, createOwnName } from '../../util/leftovers.ts'
import { withStoreErrors } from './store-error.ts'

const NOT_LINKABLE = new Set(['EPERM', 'EXDEV', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS'])

/**
 * Creates a second hard link to each content in a folder of this process. The content remains
 * readable under it if the blob is removed, and collections recognize by its name that the blob is
 * in use.
 */
export async function pinBlobs(dir: string, ids: readonly string[]): Promise<BlobLease> {
  if (ids.length === 0) return { files: [], release: async () => {} }
  const folder = join(getPinsFolder(dir), createOwnName())
  const release = async () => await rm(folder, { recursive: true, force: true })
  const names = ids.map(parseBlobFolder)
  try {
    await withStoreErrors(dir, async () => await mkdir(folder, { recursive: true, mode: 0o700 }))
    const files: { id: string; localPath: string }[] = []
    for (const [index, name] of names.entries()) {
      const id = ids[index] as string
      files.push({ id, localPath: await pinBlob({ id, name, dir, hold: folder }) })
    }
    return { files, release }
  } catch (error) {
    await release()
    throw error
  }
}

/** Names of the folders of blobs that living processes have pinned. */
export async function listPinnedBlobs(dir: string): Promise<Set<string>> {
  const root = getPinsFolder(dir)
  const abandoned = new Set(await findLeftovers(root))
  const pinned = new Set<string>()
  for (const pin of await listNames(root)) {
    if (abandoned.has(join(root, pin))) continue
    for (const name of await listNames(join(root, pin))) pinned.add(name)
  }
  return pinned
}

/** Folder of all pins. */
export function getPinsFolder(dir: string): string {
  return join(dir, '.held')
}

async function pinBlob(paths: {
  id: string
  name: string
  dir: string
  hold: string
}): Promise<string> {
  const content = join(paths.dir, paths.name, 'content')
  const own = join(paths.hold, paths.name)
  try {
    await link(content, own)
    return own
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return own
    if (!NOT_LINKABLE.has(code)) throw blobNotFoundError(paths.id, error)
    // Without hard links, the file name alone prevents collection of the blob.
    await writeFile(own, '')
    return content
  }
}
