import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SkillsError } from '../../errors.ts'
import type { BlobInfo, BlobStore, BlobWriteOptions, BlobWriter } from './blob-store.ts'

const ID = /^blob:([0-9a-f]{32})$/

/**
 * Blobs as files: `<dir>/<id>/content` and `<dir>/<id>/info.json`. Both are written and synced in a
 * folder of another name; one rename makes the blob visible.
 */
export function openBlobStore(dir: string, limits: { maxBlobBytes: number }): BlobStore {
  return {
    writer: async (options) => await startBlob(dir, limits.maxBlobBytes, options),
    info: async (id) => await readInfo(dir, id),
    file: async (id) => {
      await readInfo(dir, id)
      return join(folderOf(dir, id), 'content')
    },
  }
}

/** A fresh id. */
export function newBlobId(): string {
  return `blob:${randomBytes(16).toString('hex')}`
}

/** Whether a text has the form of an id. */
export function isBlobId(text: string): boolean {
  return ID.test(text)
}

async function startBlob(
  dir: string,
  maxBytes: number,
  { id = newBlobId(), kind }: BlobWriteOptions,
): Promise<BlobWriter> {
  const target = folderOf(dir, id)
  const draft = join(dir, `.${randomBytes(16).toString('hex')}.draft`)
  await mkdir(draft, { recursive: true, mode: 0o700 })
  // A sandbox reads it as another user; the folders above keep everybody else out.
  const content = await open(join(draft, 'content'), 'wx', 0o600)
  await content.chmod(0o444)
  const hash = createHash('sha256')
  let written = 0
  const abort = async () => {
    await content.close().catch(() => {})
    await rm(draft, { recursive: true, force: true })
  }
  return {
    id,
    get written() {
      return written
    },
    async write(chunk) {
      if (written + chunk.length > maxBytes) {
        throw new SkillsError('blob/too-large', `A blob may have ${maxBytes} bytes at most`, {
          hint: 'Set store.blobs.max_blob_size in skills.config.toml to allow more',
        })
      }
      for (let done = 0; done < chunk.length;) {
        done += (await content.write(chunk, done)).bytesWritten
      }
      hash.update(chunk)
      written += chunk.length
    },
    async commit() {
      try {
        await content.sync()
        await content.close()
        const info: BlobInfo = {
          id,
          kind,
          size: written,
          digest: `sha256:${hash.digest('hex')}`,
          createdAt: new Date().toISOString(),
        }
        await writeSynced(join(draft, 'info.json'), `${JSON.stringify(info)}\n`)
        await syncFolder(draft)
        // Fails where the id exists: a folder with something in it is never replaced.
        await rename(draft, target)
        await syncFolder(dirname(target))
        return info
      } catch (error) {
        await abort()
        throw error
      }
    },
    abort,
  }
}

async function readInfo(dir: string, id: string): Promise<BlobInfo> {
  try {
    const folder = folderOf(dir, id)
    const info = JSON.parse(await readFile(join(folder, 'info.json'), 'utf8')) as BlobInfo
    const { size } = await stat(join(folder, 'content'))
    if (size !== info.size) throw new Error('the content was changed')
    return info
  } catch (cause) {
    if (cause instanceof SkillsError) throw cause
    throw notFound(id, cause)
  }
}

function folderOf(dir: string, id: string): string {
  const name = ID.exec(id)?.[1]
  if (name === undefined) throw notFound(id)
  return join(dir, name)
}

function notFound(id: string, cause?: unknown): SkillsError {
  return new SkillsError('blob/not-found', `Unknown blob "${id.slice(0, 100)}"`, {
    hint: 'Store a file with --blob key=file, or use an id that a run gave back',
    data: { id },
    cause,
  })
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
