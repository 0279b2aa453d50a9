import { lstatSync, type Stats } from 'node:fs'

/** What changes when a file or folder changes: enough to know that a reading is still good. */
export type Stamp = string

export const MISSING: Stamp = '-'

/** The stamp of a path, symlinks not followed. */
export function stampOf(path: string): Stamp {
  return stampFrom(lstatSync(path, { throwIfNoEntry: false }))
}

export function stampFrom(stat: Stats | undefined): Stamp {
  if (!stat) return MISSING
  return `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}:${stat.mode}`
}
