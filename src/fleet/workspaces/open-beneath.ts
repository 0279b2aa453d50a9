import { closeSync, constants, openSync } from 'node:fs'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants

/** Opens a folder by its own path, whose last part may not be a link. */
export function openFolder(path: string | Buffer): number {
  return openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
}

/** Path of an entry of an open folder, which programs cannot replace by another one. */
export function pathInFolder(fd: number, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`/proc/self/fd/${fd}/`), name])
}

/** Opens a file without waiting for a writer, if it is a FIFO. */
function openFile(path: Buffer): number {
  return openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
}

/**
 * Opens a file below an open folder, one part after the other. A part that is a link is refused:
 * programs can put one in at any time.
 */
export function openFileBeneath(root: number, path: string): number {
  const parts = path.split('/').map((part) => Buffer.from(part, 'latin1'))
  const name = parts.pop() ?? Buffer.alloc(0)
  let folder = root
  try {
    for (const part of parts) {
      const next = openFolder(pathInFolder(folder, part))
      if (folder !== root) closeSync(folder)
      folder = next
    }
    return openFile(pathInFolder(folder, name))
  } finally {
    if (folder !== root) closeSync(folder)
  }
}
