import type { Config } from '../config/config.ts'

/** Each has a manifest that lists of skills read. */
const MAX_UPLOADED_SKILLS = 10_000

/** Bounds of one store. */
interface StoreBounds {
  quotaBytes: number
  ttlMs: number
}

/** Bounds of the stores whose quota is divided. */
export interface StoreLimits {
  blobs: StoreBounds & { maxBlobBytes: number; runBytes: number }
  outputs: StoreBounds & { maxOutputBytes: number }
  runs: StoreBounds
  uploads: { maxSkills: number; quotaBytes: number }
}

/**
 * Divides the quota. One run creates at most a quarter of all blobs, and one output has an eighth of
 * all of them, so that no caller alone fills a store.
 */
export function resolveStoreLimits({ store }: Pick<Config, 'store'>): StoreLimits {
  const { quotaBytes, ttlMs, runs } = store
  const divide = (by: number) => Math.ceil(quotaBytes / by)
  return {
    blobs: { quotaBytes, ttlMs, maxBlobBytes: divide(2), runBytes: divide(4) },
    outputs: { quotaBytes: divide(4), ttlMs, maxOutputBytes: divide(32) },
    runs: { quotaBytes: divide(16), ttlMs: runs.ttlMs },
    uploads: { maxSkills: MAX_UPLOADED_SKILLS, quotaBytes: divide(16) },
  }
}
