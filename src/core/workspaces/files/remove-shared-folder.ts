import { constants } from 'node:fs'
import { open, readdir, rmdir, unlink } from 'node:fs/promises'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
/** One descriptor is open per level. */
const MAX_DEPTH = 256

/**
 * Removes a folder to which programs of a session may still write. They can replace any of its
 * folders by a link to one of the host, so each step starts from an open folder and follows no link.
 * Entries that they lock or add meanwhile are left.
 */
export async function removeSharedFolder(path: string): Promise<void> {
  await removeEntry(Buffer.from(path), 0)
}

async function removeEntry(path: Buffer, depth: number): Promise<void> {
  if ((await succeeds(unlink(path))) || depth > MAX_DEPTH) return
  if (!(await succeeds(emptyFolder(path, depth)))) return
  // A link may be there instead of the folder by now.
  if (!(await succeeds(rmdir(path)))) await succeeds(unlink(path))
}

async function emptyFolder(path: Buffer, depth: number): Promise<void> {
  const folder = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  try {
    const inside = Buffer.from(`/proc/self/fd/${folder.fd}/`)
    for (const name of await readdir(inside, { encoding: 'buffer' })) {
      await removeEntry(Buffer.concat([inside, name]), depth + 1)
    }
  } finally {
    await folder.close()
  }
}

async function succeeds(work: Promise<unknown>): Promise<boolean> {
  return await work.then(
    () => true,
    () => false,
  )
}
