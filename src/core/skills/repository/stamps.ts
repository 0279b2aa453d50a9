import { lstatSync, type Stats } from 'node:fs'
import { throwIfExhausted } from '../../../errors.ts'

/**
 * A value that changes when a file or folder changes; an equal stamp means that cached data is
 * valid.
 */
export type Stamp = string

export const MISSING: Stamp = '-'

/** Stamp of a path, without following symlinks; an inaccessible path counts as missing. */
export function stampPath(path: string): Stamp {
  try {
    return toStamp(lstatSync(path, { throwIfNoEntry: false }))
  } catch (error) {
    throwIfExhausted(error)
    return MISSING
  }
}

export function toStamp(stat: Stats | undefined): Stamp {
  if (!stat) return MISSING
  return `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}:${stat.mode}`
}
