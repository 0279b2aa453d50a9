import { SkillsError } from '../../errors.ts'
import { blobAccounts } from '../../util/process-state.ts'
import { formatBytes } from '../../util/quantity.ts'
import { withStoreErrors } from './store-error.ts'
import { openUsage } from './usage.ts'

/** Written bytes of each draft that are not counted yet. */
export const MAX_UNCOUNTED_BYTES: number = 16 * 1024 ** 2
/** A full store is counted anew for this share of the time at most, where counting takes long. */
const RECOUNT_SHARE = 0.05
const LONG_COUNT_MS = 50

/** The bytes that a folder may hold, shared by all processes that use it. */
export interface Quota {
  /** Counts more bytes of a draft. Throws `blob/quota` where they do not fit. */
  reserve(draft: string, bytes: number): Promise<void>
  /** The draft is a blob now: whoever counts the folder sees it. */
  commit(draft: string): void
  /** The draft is gone. */
  release(draft: string): void
  /** Bytes are gone that were no draft of this process. */
  subtract(bytes: number): void
}

const { counted, queues } = blobAccounts

/** What a draft counts for; undefined where it is not of this process. */
export function getCountedBytes(draft: string): number | undefined {
  return counted.get(draft)
}

/** Keeps a folder below a size; `recount` removes what may go, and counts. */
export function openQuota(dir: string, limit: number, recount: () => Promise<unknown>): Quota {
  const usage = openUsage(dir)
  const last = { ended: -Infinity, took: 0 }
  /** Refuses only after a fresh count: what crashed or expired is not in the way. */
  const checkFits = async (used: number | undefined) => {
    if (used !== undefined && used <= limit) return true
    const start = performance.now()
    const pause = last.took > LONG_COUNT_MS ? last.took / RECOUNT_SHARE : 0
    if (used !== undefined && start - last.ended < pause) return false
    await recount()
    last.ended = performance.now()
    last.took = last.ended - start
    return (usage.read() ?? 0) <= limit
  }
  const decide = async (draft: string, bytes: number) => {
    const before = counted.get(draft) ?? 0
    const used = await withStoreErrors(dir, async () => usage.addAndRead(bytes))
    counted.set(draft, before + bytes)
    if (await checkFits(used)) return
    counted.set(draft, before)
    usage.subtract(bytes)
    throw new SkillsError(
      'blob/quota',
      `All blobs together may have ${formatBytes(limit)}, and this one would be too much`,
      { hint: 'Type "skills blobs gc" or "skills blobs rm", or set store.blobs.quota to more' },
    )
  }
  return {
    reserve: async (draft, bytes) => {
      const before = queues.get(dir) ?? Promise.resolve()
      const decision = before.then(async () => await decide(draft, bytes))
      queues.set(
        dir,
        decision.catch(() => {}),
      )
      await decision
    },
    commit: (draft) => void counted.delete(draft),
    release: (draft) => {
      const bytes = counted.get(draft) ?? 0
      counted.delete(draft)
      usage.subtract(bytes)
    },
    subtract: (bytes) => usage.subtract(bytes),
  }
}
