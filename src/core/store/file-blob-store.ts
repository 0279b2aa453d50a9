import { randomBytes } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { SkillsError } from '../../errors.ts'
import type { BlobInfo, BlobStore } from './blob-store.ts'
import { FileBlobWriter } from './file-blob-writer.ts'

const ID = /^blob:([0-9a-f]{32})$/

/**
 * Blobs as files: `<dir>/<id>/content` and `<dir>/<id>/info.json`. Both are written and synced in a
 * folder of another name; one rename makes the blob visible.
 */
export function openBlobStore(dir: string, limits: { maxBlobBytes: number }): BlobStore {
  return {
    writer: async ({ id = newBlobId(), kind }) =>
      await FileBlobWriter.start({
        id,
        kind,
        target: folderOf(dir, id),
        maxBytes: limits.maxBlobBytes,
      }),
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
