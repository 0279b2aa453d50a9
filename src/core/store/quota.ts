import { SkillsError } from '../../errors.ts'
import { formatBytes } from '../../util/quantity.ts'
import { inStore } from './store-error.ts'
import { openUsage } from './usage.ts'

/** A full store is counted anew this often at most. */
const RECOUNT_MS = 5000

/** The bytes that a folder may hold, shared by all processes that use it. */
export interface Quota {
  /** Counts more bytes. Throws `blob/quota` where they do not fit. */
  take(bytes: number): Promise<void>
  give(bytes: number): void
}

/** Keeps a folder below a size; `recount` removes what may go, and counts. */
export function openQuota(dir: string, limit: number, recount: () => Promise<unknown>): Quota {
  const usage = openUsage(dir)
  let recounted = -Infinity
  /** Refuses only after a fresh count: what crashed or expired is not in the way. */
  const fits = async () => {
    const used = usage.read()
    if (used !== undefined && used <= limit) return true
    if (performance.now() - recounted < RECOUNT_MS && used !== undefined) return false
    recounted = performance.now()
    await recount()
    return (usage.read() ?? 0) <= limit
  }
  return {
    take: async (bytes) => {
      await inStore(dir, async () => usage.add(bytes))
      if (await fits()) return
      usage.add(-bytes)
      throw new SkillsError(
        'blob/quota',
        `All blobs together may have ${formatBytes(limit)}, and this one would be too much`,
        { hint: 'Type "skills blobs gc" or "skills blobs rm", or set store.blobs.quota to more' },
      )
    },
    give: (bytes) => {
      try {
        usage.add(-bytes)
      } catch {
        // On a full disk: the next count puts it right.
      }
    },
  }
}
