import type { BlobLimits } from '../../core/storage/file-blob-store.ts'
import { SkillsError } from '../../errors.ts'
import { formatBytes } from '../../util/quantity.ts'
import type { EntryIndex } from '../objects/entry-index.ts'
import { listLiving, type IndexedBlob } from './blob-index.ts'

/** Age up to which the list of blobs is used without an update. */
const MAX_AGE_MS = 1000

/**
 * Quota of all blobs together: the sizes of all blobs, and of those that this process is writing. Other
 * nodes can exceed it by the blobs that they are writing, and by those of their last second.
 */
export class BlobQuota {
  #index: EntryIndex<IndexedBlob>
  #limits: BlobLimits
  #drafts = new Map<object, number>()

  constructor(index: EntryIndex<IndexedBlob>, limits: BlobLimits) {
    this.#index = index
    this.#limits = limits
  }

  /** Adds bytes of a draft. Throws `blob/quota` if they exceed the quota. */
  async reserve(draft: object, bytes: number): Promise<void> {
    await this.#index.updateIfOlderThan(MAX_AGE_MS)
    if (!this.#fits(this.#index.bytes, bytes)) {
      await this.#index.update()
      const living = listLiving(this.#index, this.#limits.ttlMs)
      const used = living.reduce((sum, { value }) => sum + value.info.size, 0)
      if (!this.#fits(used, bytes)) throw quotaError(this.#limits.quotaBytes)
    }
    this.#drafts.set(draft, (this.#drafts.get(draft) ?? 0) + bytes)
  }

  /** The draft has become a blob, or was removed. */
  release(draft: object): void {
    this.#drafts.delete(draft)
  }

  #fits(used: number, bytes: number): boolean {
    const drafts = [...this.#drafts.values()].reduce((sum, each) => sum + each, 0)
    return used + drafts + bytes <= this.#limits.quotaBytes
  }
}

function quotaError(limit: number): SkillsError {
  return new SkillsError(
    'blob/quota',
    `The blob exceeds the quota of ${formatBytes(limit)} for all blobs`,
    { hint: 'Type "skills blobs gc" or "skills blobs rm", or raise store.quota' },
  )
}
