import { createWriteStream } from 'node:fs'
import { chmod, mkdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseBlobFolder } from '../../core/storage/blob-id.ts'
import type { BlobInfo, BlobLease } from '../../core/storage/blob-store.ts'
import {
  getDraftsFolder,
  listBlobFolders,
  removeBlobFolder,
} from '../../core/storage/collect-blobs.ts'
import { getPinsFolder, listPinnedBlobs, pinBlobs } from '../../core/storage/pin-blobs.ts'
import { withStoreErrors } from '../../core/storage/store-error.ts'
import { BlobVerifier } from '../../core/storage/verify-blob.ts'
import { SkillsError, throwIfExhausted } from '../../errors.ts'
import { createOwnName, sweepLeftovers } from '../../util/leftovers.ts'

/** If the cache is too large, unused files are removed until this share of its limit is used. */
const TARGET_SHARE = 0.9
/** Another process that uses the same folder may remove files before they are pinned. */
const MAX_TRIES = 3

/** A blob that a run needs as a file. */
export interface NeededBlob {
  info: BlobInfo
  /** Its verified content. */
  open: () => Readable
}

/**
 * Blobs as files: `<dir>/<id>/content`, in the layout of the file store, whose pins keep them while they
 * are leased. Each file is verified by the digest of its blob before it is used.
 */
export class BlobCache {
  #dir: string
  #maxBytes: number
  #verifier = new BlobVerifier()
  #ready: Promise<void> | undefined
  /** Number of leases of each blob in this process, by the name of its folder. */
  #leased = new Map<string, number>()
  #fetching = new Map<string, Promise<void>>()
  /** Bytes of all files; undefined before they are counted. */
  #bytes: number | undefined
  #evicting: Promise<void> = Promise.resolve()

  constructor(dir: string, maxBytes: number) {
    this.#dir = dir
    this.#maxBytes = maxBytes
  }

  isLeased(id: string): boolean {
    return this.#leased.has(parseBlobFolder(id))
  }

  async lease(blobs: readonly NeededBlob[]): Promise<BlobLease> {
    const names = blobs.map(({ info }) => parseBlobFolder(info.id))
    this.#countLeases(names, 1)
    try {
      const lease = await withStoreErrors(this.#dir, async () => await this.#fetchAndPin(blobs))
      let isReleased = false
      const release = async () => {
        if (isReleased) return
        isReleased = true
        this.#countLeases(names, -1)
        await lease.release()
        await this.#evictIfLarge()
      }
      return { files: lease.files, release }
    } catch (error) {
      this.#countLeases(names, -1)
      throw error
    }
  }

  async #fetchAndPin(blobs: readonly NeededBlob[]): Promise<BlobLease> {
    await this.#prepareOnce()
    for (let tries = 1; ; tries++) {
      for (const blob of blobs) await this.#ensure(blob)
      try {
        const lease = await pinBlobs(
          this.#dir,
          blobs.map(({ info }) => info.id),
        )
        await this.#evictIfLarge()
        return lease
      } catch (error) {
        const isGone = error instanceof SkillsError && error.code === 'blob/not-found'
        if (!isGone || tries === MAX_TRIES) throw error
      }
    }
  }

  /** Removes leftovers of crashed processes. */
  async #prepareOnce(): Promise<void> {
    this.#ready ??= this.#prepare()
    try {
      await this.#ready
    } catch (error) {
      this.#ready = undefined
      throw error
    }
  }

  async #prepare(): Promise<void> {
    await mkdir(getDraftsFolder(this.#dir), { recursive: true, mode: 0o700 })
    await sweepLeftovers(getDraftsFolder(this.#dir))
    await sweepLeftovers(getPinsFolder(this.#dir))
  }

  /** Fetches a blob unless its file is there and unchanged. Concurrent callers share the work. */
  async #ensure(blob: NeededBlob): Promise<void> {
    const name = parseBlobFolder(blob.info.id)
    let work = this.#fetching.get(name)
    if (!work) {
      work = this.#verifyOrFetch(name, blob).finally(() => this.#fetching.delete(name))
      this.#fetching.set(name, work)
    }
    await work
  }

  async #verifyOrFetch(name: string, blob: NeededBlob): Promise<void> {
    const folder = join(this.#dir, name)
    try {
      await this.#verifier.verify(blob.info, join(folder, 'content'))
      const now = new Date()
      await utimes(folder, now, now)
      return
    } catch (error) {
      throwIfExhausted(error)
      // Missing, changed, or the content of an older blob with this id.
      await removeBlobFolder(this.#dir, name)
    }
    await this.#fetch(folder, blob)
  }

  async #fetch(folder: string, { info, open }: NeededBlob): Promise<void> {
    const draft = join(getDraftsFolder(this.#dir), createOwnName())
    const content = join(draft, 'content')
    try {
      await mkdir(draft, { recursive: true, mode: 0o700 })
      await pipeline(open(), createWriteStream(content, { flags: 'wx', mode: 0o600 }))
      // A sandbox reads the file as another user; the parent folders exclude all other users.
      await chmod(content, 0o444)
      await rename(draft, folder).catch(ignoreExisting)
      if (this.#bytes !== undefined) this.#bytes += info.size
    } finally {
      await rm(draft, { recursive: true, force: true })
    }
  }

  /** Removes files that are not leased, those first that were not used for the longest time. */
  async #evictIfLarge(): Promise<void> {
    if (this.#bytes !== undefined && this.#bytes <= this.#maxBytes) return
    this.#evicting = this.#evicting.catch(() => {}).then(async () => await this.#evict())
    await this.#evicting
  }

  async #evict(): Promise<void> {
    const files = await this.#measureFiles()
    let bytes = files.reduce((sum, { size }) => sum + size, 0)
    const target = bytes > this.#maxBytes ? this.#maxBytes * TARGET_SHARE : Infinity
    const pinned = bytes > target ? await listPinnedBlobs(this.#dir) : new Set<string>()
    for (const { name, size } of files) {
      if (bytes <= target) break
      if (pinned.has(name) || this.#leased.has(name)) continue
      await removeBlobFolder(this.#dir, name)
      bytes -= size
    }
    this.#bytes = bytes
  }

  /** Sorted from the longest unused to the last used. */
  async #measureFiles(): Promise<{ name: string; size: number }[]> {
    const files: { name: string; size: number; usedAt: number }[] = []
    for (const name of await listBlobFolders(this.#dir)) {
      const folder = await stat(join(this.#dir, name)).catch(() => undefined)
      const content = await stat(join(this.#dir, name, 'content')).catch(() => undefined)
      if (folder) files.push({ name, size: content?.size ?? 0, usedAt: folder.mtimeMs })
    }
    return files.sort((a, b) => a.usedAt - b.usedAt)
  }

  #countLeases(names: readonly string[], change: 1 | -1): void {
    for (const name of names) {
      const count = (this.#leased.get(name) ?? 0) + change
      if (count > 0) this.#leased.set(name, count)
      else this.#leased.delete(name)
    }
  }
}

/** Another process has fetched the same blob. */
function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
}
