import type { BlobInfo } from '../../core/storage/blob-store.ts'
import type { Engine } from '../engine/engine.ts'
import { EntryIndex, type IndexedEntry } from '../objects/entry-index.ts'
import { decodeBlobEntry, listBlobUploads } from './blob-entry.ts'

/** A blob in lists and totals. */
export interface IndexedBlob {
  info: BlobInfo
  uploads: readonly string[]
}

/** Creates the list of all blobs, which is empty until its first update. */
export function createBlobIndex(engine: Engine): EntryIndex<IndexedBlob> {
  return new EntryIndex<IndexedBlob>(engine, {
    prefix: 'b',
    parse(message, name) {
      const entry = decodeBlobEntry(`blob:${name}`, message)
      return { info: entry.info, uploads: listBlobUploads(entry) }
    },
    measure: ({ info }) => info.size,
  })
}

/** Entries of blobs that have not expired. */
export function listLiving(
  index: EntryIndex<IndexedBlob>,
  ttlMs: number,
): IndexedEntry<IndexedBlob>[] {
  return index.list().filter(({ value }) => !isExpired(value.info, ttlMs))
}

export function isExpired({ createdAt }: BlobInfo, ttlMs: number): boolean {
  return Date.parse(createdAt) + ttlMs < Date.now()
}
