import type { ArchiveLimits } from '../../core/packing/read/archive-error.ts'

/** Upper bounds for one skill of the catalog. */
export const SKILL_LIMITS = { maxFiles: 2000, maxBytes: 64 * 1024 ** 2 } as const

/** Bounds for its archive, which may be as large as its files. */
export const CATALOG_ARCHIVE_LIMITS: ArchiveLimits = {
  archiveBytes: SKILL_LIMITS.maxBytes + 8 * 1024 ** 2,
  // Some paths take two entries of a tar archive.
  files: 2 * SKILL_LIMITS.maxFiles,
  bytes: SKILL_LIMITS.maxBytes,
  // The bytes are limited already, and some files of zeros are no attack.
  ratio: Infinity,
}
