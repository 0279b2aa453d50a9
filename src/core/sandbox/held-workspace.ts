import { closeSync, constants, createWriteStream, openSync } from 'node:fs'
import { lstat, mkdir, open, readdir } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'

const MAX_ENTRIES = 100_000

/** A sandbox's workspace, held so that it can be read when the sandbox is dead. */
export interface HeldWorkspace {
  /** Copies files and folders; answers with how many links and special files were left out. */
  copyTo(dir: string): Promise<number>
  close(): void
}

/** Takes hold of the workspace of a running sandbox. */
export function holdWorkspace(path: string): HeldWorkspace {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
  const fd = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  return {
    copyTo: async (dir) => {
      const counted = { entries: 0, leftOut: 0 }
      await copyFolder(Buffer.from(`/proc/self/fd/${fd}`), Buffer.from(dir), counted)
      return counted.leftOut
    },
    close: () => closeSync(fd),
  }
}

/** Names may be no text: paths are bytes all the way. */
async function copyFolder(
  from: Buffer,
  to: Buffer,
  counted: { entries: number; leftOut: number },
): Promise<void> {
  await mkdir(to, { mode: 0o700 })
  for (const name of await readdir(from, { encoding: 'buffer' })) {
    counted.entries += 1
    if (counted.entries > MAX_ENTRIES) throw new Error(`it has more than ${MAX_ENTRIES} files`)
    const [source, target] = [below(from, name), below(to, name)]
    const stat = await lstat(source)
    if (stat.isDirectory()) await copyFolder(source, target, counted)
    else if (stat.isFile()) await copyFile(source, target)
    else counted.leftOut += 1
  }
}

async function copyFile(source: Buffer, target: Buffer): Promise<void> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const file = await open(source, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    if (!(await file.stat()).isFile()) throw new Error('a file changed while it was copied')
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
