import { Readable } from 'node:stream'
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
import { blobDamagedError, MAX_VERIFIED_FIRST_BYTES } from '../../core/storage/verify-blob.ts'
import type { Engine, StoredMessage } from '../engine/engine.ts'
import { openObjects } from '../objects/open-objects.ts'
import {
  type ObjectRange,
  ObjectDamagedError,
  ObjectMissingError,
  type Objects,
} from '../objects/objects.ts'
import { BlobCache, type NeededBlob } from './blob-cache.ts'
import { decodeBlobEntry, listBlobUploads, nameBlobEntry, type BlobEntry } from './blob-entry.ts'
import { createBlobIndex, isExpired, listLiving, type IndexedBlob } from './blob-index.ts'
import { BlobQuota } from './blob-quota.ts'
import { FleetBlobWriter } from './fleet-blob-writer.ts'
import { removeBlob } from './remove-blob.ts'
import type { EntryIndex } from '../objects/entry-index.ts'
import { sweepDataUploads } from '../objects/sweep-uploads.ts'
import { hash } from 'node:crypto'
import { CHUNK_BYTES } from '../objects/chunks.ts'

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
async function collectFleetBlobs(
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

interface BlobContent {
  entry: BlobEntry
  objects: Objects
  /** Returns the error for chunks that are missing. */
  explainMissing: (cause: unknown) => Promise<Error>
}

/** The verified content of a blob, or a part of it. Small parts are read before the first byte is returned. */
async function readBlob(blob: BlobContent, range: ObjectRange): Promise<Readable> {
  const { size } = blob.entry.info
  const start = Math.max(0, range.start ?? 0)
  const end = Math.min(size, range.end ?? size)
  if (end - start > MAX_VERIFIED_FIRST_BYTES) return streamBlob(blob, { start, end })
  const parts: Buffer[] = []
  for await (const part of readParts(blob, { start, end })) parts.push(part)
  return Readable.from(parts, { objectMode: false })
}

/** The verified content of a blob; errors are thrown by the stream. */
function streamBlob(blob: BlobContent, range: ObjectRange = {}): Readable {
  const options = { objectMode: false, highWaterMark: CHUNK_BYTES }
  return Readable.from(readParts(blob, range), options)
}

async function* readParts(
  { entry: { info, content }, objects, explainMissing }: BlobContent,
  range: ObjectRange,
): AsyncGenerator<Buffer> {
  if (Buffer.isBuffer(content)) {
    const isWhole = content.length === info.size
    if (!isWhole || `sha256:${hash('sha256', content)}` !== info.digest)
      throw blobDamagedError(info.id)
    const part = content.subarray(range.start, range.end)
    if (part.length > 0) yield part
    return
  }
  try {
    yield* objects.read(content, range) as AsyncIterable<Buffer>
  } catch (error) {
    if (error instanceof ObjectDamagedError) throw blobDamagedError(info.id, error)
    throw error instanceof ObjectMissingError ? await explainMissing(error) : error
  }
}
