import { mkdir, open, rm, type FileHandle } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { SkillsError } from '../../../errors.ts'
import { getExtension } from '../../../util/mime.ts'

/** A folder, and the directory it is relative to. */
export interface BlobFolder {
  cwd: string
  dir: string
}

/**
 * Creates the folder for blobs before the run starts, so that a run does not start if its blobs
 * cannot be saved.
 */
export async function createBlobFolder({ cwd, dir }: BlobFolder): Promise<void> {
  try {
    await mkdir(resolve(cwd, dir), { recursive: true })
  } catch (cause) {
    throw new SkillsError('store/unavailable', `Cannot create the folder "${dir}"`, {
      hint: 'Select another folder with --out',
      cause,
    })
  }
}

/** Reads blobs of this machine or of a remote runtime. */
interface BlobReader {
  info(id: string): Promise<{ kind: string }>
  read(id: string): Promise<Readable>
}

/** Copies blobs into a folder, each under its id. Existing files are not overwritten. */
export async function saveBlobs(
  source: BlobReader,
  ids: readonly string[],
  folder: BlobFolder & { signal?: AbortSignal },
): Promise<string[]> {
  const saved: string[] = []
  await createBlobFolder(folder)
  for (const id of ids) saved.push(await saveBlob(source, id, folder))
  return saved
}

async function saveBlob(
  source: BlobReader,
  id: string,
  { cwd, dir, signal }: BlobFolder & { signal?: AbortSignal },
): Promise<string> {
  const { kind } = await source.info(id)
  // The id of a remote runtime must not be used as a path.
  const name = id.replace(/^blob:/, '').replaceAll(/[^\w-]/g, '_') + getExtension(kind)
  const path = resolve(cwd, dir, name)
  let file: FileHandle | undefined
  try {
    file = await open(path, 'wx')
    await pipeline(await source.read(id), file.createWriteStream(), { ...(signal && { signal }) })
  } catch (cause) {
    await file?.close()
    if (file) await rm(path, { force: true })
    if (cause instanceof SkillsError || signal?.aborted) throw cause
    throw new SkillsError('store/unavailable', `Cannot save the blob "${id}" in "${dir}"`, {
      hint: 'Select another folder with --out',
      cause,
    })
  }
  return join(dir, name)
}
