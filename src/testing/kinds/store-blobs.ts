import { createReadStream, readFileSync } from 'node:fs'
import { detectMimeType } from '../../util/mime.ts'
import type { Services } from '../../core/services.ts'
import { writeBlob } from '../../core/storage/write-blob.ts'

/** Stores files as blobs; returns their ids by argument. */
export async function storeBlobs(
  { blobs }: Pick<Services, 'blobs'>,
  files: ReadonlyMap<string, string>,
): Promise<Record<string, string>> {
  const ids: Record<string, string> = {}
  if (files.size === 0) return ids
  const store = await blobs()
  for (const [name, file] of files) {
    const kind = detectMimeType(file, readFileSync(file))
    ids[name] = (await writeBlob(store, createReadStream(file), kind)).id
  }
  return ids
}
