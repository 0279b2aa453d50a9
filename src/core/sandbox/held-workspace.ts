import { closeSync, constants, createWriteStream, openSync } from 'node:fs'
import { lstat, mkdir, open, readdir } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'

const MAX_ENTRIES = 100_000
/** Deeper folders are hard to remove again. */
const MAX_DEPTH = 256

/** A sandbox's workspace, held so that it can be read when the sandbox is dead. */
export interface HeldWorkspace {
  /** Copies files and folders; answers with how many links and special files were left out. */
  copyTo(dir: string, maxBytes: number): Promise<number>
  close(): void
}

/** Takes hold of the workspace of a running sandbox. */
export function holdWorkspace(path: string): HeldWorkspace {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
  const fd = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  return {
    copyTo: async (dir, maxBytes) => {
      const counted = { entries: 0, leftOut: 0, depth: 0, bytesLeft: maxBytes }
      await copyFolder(Buffer.from(`/proc/self/fd/${fd}`), Buffer.from(dir), counted)
      return counted.leftOut
    },
    close: () => closeSync(fd),
  }
}

interface Counted {
  entries: number
  leftOut: number
  depth: number
  bytesLeft: number
}

/** Names may be no text: paths are bytes all the way. */
async function copyFolder(from: Buffer, to: Buffer, counted: Counted): Promise<void> {
  counted.depth += 1
  if (counted.depth > MAX_DEPTH) throw new Error(`its folders are more than ${MAX_DEPTH} deep`)
  await mkdir(to, { mode: 0o700 })
  for (const name of await readdir(from, { encoding: 'buffer' })) {
    counted.entries += 1
    if (counted.entries > MAX_ENTRIES) throw new Error(`it has more than ${MAX_ENTRIES} files`)
    const [source, target] = [below(from, name), below(to, name)]
    const stat = await lstat(source)
    if (stat.isDirectory()) await copyFolder(source, target, counted)
    else if (stat.isFile()) await copyFile(source, target, counted)
    else counted.leftOut += 1
  }
  counted.depth -= 1
}

async function copyFile(source: Buffer, target: Buffer, counted: Counted): Promise<void> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const file = await open(source, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const stat = await file.stat()
    if (!stat.isFile()) throw new Error('a file changed while it was copied')
    // Files with holes take no room where they are, and all of it where they are copied to.
    counted.bytesLeft -= stat.size
    if (counted.bytesLeft < 0) throw new Error('its files are larger than it may be')
    await pipeline(
      file.createReadStream({ autoClose: false }),
      createWriteStream(target, { flags: 'wx', mode: 0o644 }),
    )
  } finally {
    await file.close()
  }
}

function below(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat([folder, Buffer.from('/'), name])
}
