import type { BlobStore } from '../../core/storage/blob-store.ts'
import type { BlobSummary } from '../../runtime-handle/handle.ts'
import { findId } from './find-id.ts'

/** Ids that a misspelt one is compared with. */
const MAX_COMPARED_IDS = 1000

/** A blob in `--json` output. */
export function toBlobRecord({
  id,
  kind,
  size,
  digest,
  createdAt,
  expiresAt,
}: BlobSummary): object {
  return {
    blob_id: id,
    kind,
    size_bytes: size,
    digest,
    created_at: createdAt,
    expires_at: expiresAt,
  }
}

/** Full id of a blob. */
export async function findBlobId(store: BlobStore, word: string): Promise<string> {
  return await findId(word, {
    prefix: 'blob:',
    noun: 'blob',
    find: async (start, limit) => await store.find(start, limit),
    recent: async () => (await store.list({ limit: MAX_COMPARED_IDS })).blobs.map(({ id }) => id),
  })
}
