import { lstatSync, type Stats } from 'node:fs'

/** What changes when a file or folder changes: enough to know that a reading is still good. */
export type Stamp = string

export const MISSING: Stamp = '-'

/** The stamp of a path, symlinks not followed; what may not be looked at is as good as missing. */
export function stampPath(path: string): Stamp {
  try {
    return toStamp(lstatSync(path, { throwIfNoEntry: false }))
  } catch {
    return MISSING
  }
}

export function toStamp(stat: Stats | undefined): Stamp {
  if (!stat) return MISSING
  return `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}:${stat.mode}`
}
