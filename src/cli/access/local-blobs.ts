import { readBlob } from '../../core/methods/read-blob/handler.ts'
import { saveBlobs } from '../../core/runs/protocol/save-blobs.ts'
import type { Runtime } from '../../core/runtime.ts'
import type { BlobInfo } from '../../core/storage/blob-store.ts'
import { writeBlob } from '../../core/storage/write-blob.ts'
import { expiryOf, findBlob } from '../store/blob-shown.ts'
import type { BlobAccess, ShownBlob } from './access.ts'

/** The blobs of this machine. */
export function localBlobs(runtime: Runtime): BlobAccess {
  const { ttlMs } = runtime.config.store.blobs
  return {
    put: async (source, kind) =>
      shownBlob(await writeBlob(await runtime.blobs(), source, kind), ttlMs),
    find: async (word) => await findBlob(await runtime.blobs(), word),
    info: async (id) => shownBlob(await (await runtime.blobs()).info(id), ttlMs),
    read: async (id) => await (await runtime.blobs()).read(id),
    whole: async (id) => await readBlob(runtime, { blob_id: id, mode: 'full' }),
    save: async (ids, place) => await saveBlobs(await runtime.blobs(), ids, place),
  }
}

/** A blob of this machine, and when it goes by itself. */
export function shownBlob(blob: BlobInfo, ttlMs: number): ShownBlob {
  const { id, kind, size, digest, createdAt } = blob
  return { id, kind, size, digest, createdAt, expiresAt: expiryOf(ttlMs, blob) }
}
