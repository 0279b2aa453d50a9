import type { CollectedBlobs } from '../../core/storage/blob-store.ts'
import type { Engine } from '../engine/engine.ts'
import type { EntryIndex } from '../objects/entry-index.ts'
import { sweepDataUploads } from '../objects/sweep-uploads.ts'
import { isExpired, type IndexedBlob } from './blob-index.ts'
import { removeBlob } from './remove-blob.ts'

interface CollectOptions {
  index: EntryIndex<IndexedBlob>
  ttlMs: number
  isLeased: (id: string) => boolean
  dryRun: boolean
}

/**
 * Removes expired blobs that this process has not leased: the leases of other nodes are copies. Sweeps
 * abandoned uploads, also those of outputs.
 */
export async function collectFleetBlobs(
  engine: Engine,
  { index, ttlMs, isLeased, dryRun }: CollectOptions,
): Promise<CollectedBlobs> {
  await index.update()
  const done: CollectedBlobs = {
    expired: [],
    leftovers: 0,
    bytesFreed: 0,
    kept: { count: 0, bytes: 0 },
  }
  for (const entry of index.list().sort((a, b) => a.seq - b.seq)) {
    const { info } = entry.value
    if (isExpired(info, ttlMs) && !isLeased(info.id)) {
      if (!dryRun) await removeBlob(engine, index, entry)
      done.expired.push(info.id)
      done.bytesFreed += info.size
    } else {
      done.kept.count += 1
      done.kept.bytes += info.size
    }
  }
  done.leftovers = (await sweepDataUploads(engine, { dryRun })).length
  return done
}
