import { lstatSync } from 'node:fs'
import { throwIfExhausted } from '../../../errors.ts'
import type { StampedEntry } from '../../../util/walk-folder.ts'

/**
 * A value that changes when a file or folder changes; an equal stamp means that cached data is
 * valid.
 */
export type Stamp = string

export const MISSING: Stamp = '-'

/** Stamp of a path, without following symlinks; an inaccessible path counts as missing. */
export function stampPath(path: string): Stamp {
  try {
    return toStamp(lstatSync(path, { bigint: true, throwIfNoEntry: false }))
  } catch (error) {
    throwIfExhausted(error)
    return MISSING
  }
}

export function toStamp(stat: Omit<StampedEntry, 'dev'> | undefined): Stamp {
  if (!stat) return MISSING
  return `${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}:${stat.mode}`
}
