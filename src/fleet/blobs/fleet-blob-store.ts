import type { Readable } from 'node:stream'
import { blobNotFoundError, createBlobId, parseBlobFolder } from '../../core/storage/blob-id.ts'
import type {
  BlobInfo,
  BlobLease,
  BlobPage,
  BlobStore,
  BlobWriteOptions,
  CollectedBlobs,
} from '../../core/storage/blob-store.ts'
import type { BlobLimits } from '../../core/storage/file-blob-store.ts'
import { blobDamagedError } from '../../core/storage/verify-blob.ts'
import type { Engine, StoredMessage } from '../engine/engine.ts'
import { openObjects } from '../objects/open-objects.ts'
import type { ObjectRange } from '../objects/objects.ts'
import { BlobCache, type NeededBlob } from './blob-cache.ts'
import { decodeBlobEntry, listBlobUploads, nameBlobEntry, type BlobEntry } from './blob-entry.ts'
import { createBlobIndex, isExpired, listLiving } from './blob-index.ts'
import { BlobQuota } from './blob-quota.ts'
import { collectFleetBlobs } from './collect-fleet-blobs.ts'
import { FleetBlobWriter } from './fleet-blob-writer.ts'
import { readBlob, streamBlob } from './read-blob.ts'
import { removeBlob } from './remove-blob.ts'

/** Entries that are read at once. */
const MAX_READS = 8
const DEFAULT_CACHE_BYTES = 2 * 1024 ** 3

export interface FleetBlobOptions {
  limits: BlobLimits
  /** Folder for the files of leases; several processes may share it. */
  cacheDir: string
  /** Limit of the files that are not leased. */
  cacheBytes?: number | undefined
}

/** Blobs in the engine of a fleet: an entry for each, which is stored after its content. */
export function openFleetBlobStore(engine: Engine, options: FleetBlobOptions): BlobStore {
  return new FleetBlobStore(engine, options)
}

class FleetBlobStore implements BlobStore {
  #engine: Engine
  #objects
  #index
  #quota: BlobQuota
  #cache: BlobCache
  #limits: BlobLimits

  constructor(engine: Engine, { limits, cacheDir, cacheBytes }: FleetBlobOptions) {
    this.#engine = engine
    this.#limits = limits
    this.#objects = openObjects(engine, 'data')
    this.#index = createBlobIndex(engine)
    this.#quota = new BlobQuota(this.#index, limits)
    this.#cache = new BlobCache(cacheDir, cacheBytes ?? DEFAULT_CACHE_BYTES)
  }

  async writer({ id = createBlobId(), kind }: BlobWriteOptions): Promise<FleetBlobWriter> {
    return new FleetBlobWriter(
      { id, kind },
      {
        engine: this.#engine,
        objects: this.#objects,
        index: this.#index,
        quota: this.#quota,
        maxBytes: this.#limits.maxBlobBytes,
      },
    )
  }

  async info(id: string): Promise<BlobInfo> {
    return (await this.#readEntry(id)).info
  }

  async read(id: string, range: ObjectRange = {}): Promise<Readable> {
    return await readBlob(this.#toContent(await this.#readEntry(id)), range)
  }

  async list({ limit = Infinity }: { limit?: number } = {}): Promise<BlobPage> {
    await this.#index.update()
    const living = listLiving(this.#index, this.#limits.ttlMs).sort((a, b) => b.seq - a.seq)
    return { blobs: living.slice(0, limit).map(({ value }) => value.info), total: living.length }
  }

  async find(prefix: string, limit: number): Promise<string[]> {
    await this.#index.update()
    const start = prefix.startsWith('blob:') ? prefix : `blob:${prefix}`
    const ids = listLiving(this.#index, this.#limits.ttlMs).map(({ value }) => value.info.id)
    return ids.filter((id) => id.startsWith(start)).slice(0, limit)
  }

  async remove(id: string): Promise<void> {
    const message = await this.#engine.last('data', nameBlobEntry(id))
    if (!message) throw blobNotFoundError(id)
    const entry = { name: parseBlobFolder(id), seq: message.seq }
    const value = { uploads: listUploads(id, message) }
    const isRemoved = await removeBlob(this.#engine, this.#index, { ...entry, value })
    if (!isRemoved) throw blobNotFoundError(id)
  }

  async hold(ids: readonly string[]): Promise<BlobLease> {
    if (ids.length === 0) return { files: [], release: async () => {} }
    const blobs: NeededBlob[] = []
    for (let at = 0; at < ids.length; at += MAX_READS) {
      const reads = ids.slice(at, at + MAX_READS).map(async (id) => await this.#readEntry(id))
      // All are awaited, so that the error is that of the first unreadable blob.
      for (const read of await Promise.allSettled(reads)) {
        if (read.status === 'rejected') throw read.reason
        const entry = read.value
        blobs.push({ info: entry.info, open: () => streamBlob(this.#toContent(entry)) })
      }
    }
    return await this.#cache.lease(blobs)
  }

  async collect({ dryRun = false }: { dryRun?: boolean } = {}): Promise<CollectedBlobs> {
    return await collectFleetBlobs(this.#engine, {
      index: this.#index,
      ttlMs: this.#limits.ttlMs,
      isLeased: (id) => this.#cache.isLeased(id),
      dryRun,
    })
  }

  async #readEntry(id: string): Promise<BlobEntry> {
    const message = await this.#engine.last('data', nameBlobEntry(id))
    const entry = message && decodeBlobEntry(id, message)
    if (!entry || isExpired(entry.info, this.#limits.ttlMs)) throw blobNotFoundError(id)
    return entry
  }

  #toContent(entry: BlobEntry) {
    const explainMissing = async (cause: unknown) => {
      const { id } = entry.info
      const isStored = (await this.#engine.last('data', nameBlobEntry(id))) !== undefined
      return isStored ? blobDamagedError(id, cause) : blobNotFoundError(id, cause)
    }
    return { entry, objects: this.#objects, explainMissing }
  }
}

/** A damaged entry can be removed too. */
function listUploads(id: string, message: StoredMessage): string[] {
  try {
    return listBlobUploads(decodeBlobEntry(id, message))
  } catch {
    return []
  }
}
