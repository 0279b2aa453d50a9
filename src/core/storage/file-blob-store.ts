import { statSync } from 'node:fs'
import { mkdir, open, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { SkillsError, throwIfExhausted } from '../../errors.ts'
import { yieldEvery } from '../../util/slices/yield-every.ts'
import { syncFolder } from '../../util/durable-file.ts'
import { blobNotFoundError, parseBlobFolder, createBlobId } from './blob-id.ts'
import type { BlobInfo, BlobPage, BlobStore, BlobWriteOptions } from './blob-store.ts'
import {
  listBlobFolders,
  collectBlobs,
  getDraftsFolder,
  removeBlobFolder,
} from './collect-blobs.ts'
import { FileBlobWriter } from './file-blob-writer.ts'
import { pinBlobs } from './pin-blobs.ts'
import { createOwnName, sweepLeftovers } from '../../util/leftovers.ts'
import { openQuota, type Quota } from './quota.ts'
import { withStoreErrors } from './store-error.ts'
import { Sweeper } from './sweep.ts'
import {
  blobDamagedError,
  BlobVerifier,
  createVerifiedStream,
  MAX_VERIFIED_FIRST_BYTES,
} from './verify-blob.ts'
import { parseSealedJson } from '../../util/sealed-json.ts'

/** Limits of a store. */
export interface BlobLimits {
  maxBlobBytes: number
  /** Limit of all blobs together. */
  quotaBytes: number
  ttlMs: number
}

/**
 * Blobs as files: `<dir>/<id>/content` and `<dir>/<id>/info.json`. Both are written and synced in a
 * draft folder; one rename makes the blob visible.
 */
export function openBlobStore(dir: string, limits: BlobLimits): BlobStore {
  return new FileBlobStore(dir, limits)
}

class FileBlobStore implements BlobStore {
  #dir: string
  #sweeper: Sweeper
  #limits: BlobLimits
  #quota: Quota
  #verifier = new BlobVerifier()
  #ready: Promise<void> | undefined

  constructor(dir: string, limits: BlobLimits) {
    this.#dir = dir
    this.#sweeper = new Sweeper(dir, async () => await this.collect())
    this.#limits = limits
    this.#quota = openQuota(dir, limits.quotaBytes, async () => await this.collect())
  }

  async writer({ id = createBlobId(), kind }: BlobWriteOptions) {
    const target = join(this.#dir, parseBlobFolder(id))
    await this.#prepare()
    return await FileBlobWriter.start({
      id,
      kind,
      draft: join(getDraftsFolder(this.#dir), createOwnName()),
      target,
      maxBytes: this.#limits.maxBlobBytes,
      quota: this.#quota,
    })
  }

  async info(id: string): Promise<BlobInfo> {
    const folder = join(this.#dir, parseBlobFolder(id))
    try {
      const text = await readFile(join(folder, 'info.json'), 'utf8')
      const { size } = await stat(join(folder, 'content'))
      const info = parseBlobInfo(id, text)
      if (size !== info.size) throw blobDamagedError(id)
      if (Date.parse(info.createdAt) + this.#limits.ttlMs < Date.now()) throw new Error('expired')
      return info
    } catch (cause) {
      throwIfExhausted(cause)
      throw isDamaged(cause) ? cause : blobNotFoundError(id, cause)
    }
  }

  async read(id: string, { start = 0, end }: { start?: number; end?: number } = {}) {
    const info = await this.info(id)
    const path = join(this.#dir, parseBlobFolder(id), 'content')
    const isWhole = start === 0 && (end === undefined || end >= info.size)
    try {
      if (isWhole && info.size > MAX_VERIFIED_FIRST_BYTES) return createVerifiedStream(info, path)
      await this.#verifier.verify(info, path)
      // Opened before the blob may be removed.
      const file = await open(path, 'r')
      return file.createReadStream({ start, end: (end ?? Infinity) - 1 }) as Readable
    } catch (cause) {
      throwIfExhausted(cause)
      throw isDamaged(cause) ? cause : blobNotFoundError(id, cause)
    }
  }

  async list({ limit = Infinity }: { limit?: number } = {}): Promise<BlobPage> {
    const oldest = Date.now() - this.#limits.ttlMs
    const found: { name: string; madeAt: number }[] = []
    const yieldIfDue = yieldEvery()
    for (const name of await listBlobFolders(this.#dir)) {
      await yieldIfDue()
      const { mtimeMs } = statSync(join(this.#dir, name), { throwIfNoEntry: false }) ?? {}
      if (mtimeMs !== undefined && mtimeMs >= oldest) found.push({ name, madeAt: mtimeMs })
    }
    found.sort((a, b) => b.madeAt - a.madeAt || (a.name < b.name ? -1 : 1))
    const blobs: BlobInfo[] = []
    for (const { name } of found) {
      if (blobs.length >= limit) break
      const info = await this.info(`blob:${name}`).catch(ignoreUnreadable)
      if (info) blobs.push(info)
    }
    return { blobs, total: found.length }
  }

  async find(prefix: string, limit: number): Promise<string[]> {
    const start = prefix.startsWith('blob:') ? prefix.slice('blob:'.length) : prefix
    const names = (await listBlobFolders(this.#dir)).filter((name) => name.startsWith(start))
    return names.slice(0, limit).map((name) => `blob:${name}`)
  }

  async remove(id: string): Promise<void> {
    const name = parseBlobFolder(id)
    const content = join(this.#dir, name, 'content')
    await withStoreErrors(this.#dir, async () => {
      const size = (await stat(content).catch(() => undefined))?.size ?? 0
      await mkdir(getDraftsFolder(this.#dir), { recursive: true, mode: 0o700 })
      if (!(await removeBlobFolder(this.#dir, name))) throw blobNotFoundError(id)
      await syncFolder(this.#dir)
      this.#quota.subtract(size)
    })
  }

  async hold(ids: readonly string[]) {
    // One after the other: ten thousand at once would need as many descriptors, and all of them would
    // be read although the first is unknown.
    const blobs: BlobInfo[] = []
    for (const id of ids) blobs.push(await this.info(id))
    const lease = await pinBlobs(this.#dir, ids)
    try {
      for (const [index, { localPath }] of lease.files.entries()) {
        await this.#verifier.verify(blobs[index] as BlobInfo, localPath)
      }
      return lease
    } catch (error) {
      await lease.release()
      throw error
    }
  }

  async collect({ dryRun = false }: { dryRun?: boolean } = {}) {
    return await withStoreErrors(this.#dir, async () => {
      if (!dryRun) await this.#makeFolders()
      return await collectBlobs(this.#dir, { ttlMs: this.#limits.ttlMs, dryRun })
    })
  }

  /** Runs before the first blob of this process: removes leftovers of crashed processes. */
  async #prepare(): Promise<void> {
    this.#ready ??= withStoreErrors(this.#dir, async () => {
      await this.#makeFolders()
      await sweepLeftovers(getDraftsFolder(this.#dir))
    })
    try {
      await this.#ready
    } catch (error) {
      this.#ready = undefined
      throw error
    }
    this.#sweeper.sweepIfDue()
  }

  async #makeFolders(): Promise<void> {
    await mkdir(getDraftsFolder(this.#dir), { recursive: true, mode: 0o700 })
  }
}

/** Listings leave out blobs that were removed meanwhile, and damaged ones. */
function ignoreUnreadable(error: unknown): undefined {
  if (error instanceof SkillsError && error.code === 'blob/not-found') return undefined
  if (isDamaged(error)) return undefined
  throw error
}

function isDamaged(error: unknown): boolean {
  return error instanceof SkillsError && error.code === 'blob/damaged'
}

function parseBlobInfo(id: string, text: string): BlobInfo {
  try {
    return parseSealedJson(text) as BlobInfo
  } catch (cause) {
    throw blobDamagedError(id, cause)
  }
}
