import { SkillsError } from '../../errors.ts'
import { blobAccounts } from '../../util/process-state.ts'
import { formatBytes } from '../../util/quantity.ts'
import { withStoreErrors } from './store-error.ts'
import { openUsage } from './usage.ts'

/** Bytes of each draft that may be written before they are counted. */
export const MAX_UNCOUNTED_BYTES: number = 16 * 1024 ** 2
/** Maximum share of time for recounting a full store, if a count takes long. */
const RECOUNT_SHARE = 0.05
const LONG_COUNT_MS = 50

/** Quota in bytes of a folder, shared by all processes that use it. */
export interface Quota {
  /** Adds bytes of a draft. Throws `blob/quota` if they exceed the quota. */
  reserve(draft: string, bytes: number): Promise<void>
  /** The draft has become a blob, which counts of the folder include. */
  commit(draft: string): void
  /** The draft was removed. */
  release(draft: string): void
  /** Subtracts bytes that are not part of a draft of this process. */
  subtract(bytes: number): void
}

const { counted, queues } = blobAccounts

/** Counted bytes of a draft; undefined if it belongs to another process. */
export function getCountedBytes(draft: string): number | undefined {
  return counted.get(draft)
}

/** Enforces the quota of a folder; `recount` removes expired blobs, and counts. */
export function openQuota(dir: string, limit: number, recount: () => Promise<unknown>): Quota {
  const usage = openUsage(dir)
  const last = { ended: -Infinity, took: 0 }
  /** Refuses only after a recount, so that expired blobs and leftovers do not cause a refusal. */
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
  const reserveBytes = async (draft: string, bytes: number) => {
    const before = counted.get(draft) ?? 0
    const used = await withStoreErrors(dir, async () => usage.addAndRead(bytes))
    counted.set(draft, before + bytes)
    if (await checkFits(used)) return
    counted.set(draft, before)
    usage.subtract(bytes)
    throw new SkillsError(
      'blob/quota',
      `The blob exceeds the quota of ${formatBytes(limit)} for all blobs`,
      { hint: 'Type "skills blobs gc" or "skills blobs rm", or raise store.quota' },
    )
  }
  return {
    reserve: async (draft, bytes) => {
      const before = queues.get(dir) ?? Promise.resolve()
      const decision = before.then(async () => await reserveBytes(draft, bytes))
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
