import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'

/** First record, and the epoch of a copy: the number of the lock under which it was made. */
const SEGMENT = /^(\d{16})(?:\.(\d+))?\.jsonl$/

/**
 * Returns the segment files of a log, oldest first; each is named after its first record. A copy
 * replaces the files of the same first record with a lower epoch.
 */
export function filterSegments(names: readonly string[]): string[] {
  const newest = new Map<string, string>()
  for (const name of names) {
    const [, first] = SEGMENT.exec(name) ?? []
    if (first === undefined) continue
    const present = newest.get(first)
    if (present === undefined || getEpoch(present) < getEpoch(name)) newest.set(first, name)
  }
  return [...newest.values()].toSorted()
}

/** Lists the files that a copy replaced. */
export function listReplacedSegments(names: readonly string[]): string[] {
  const current = new Set(filterSegments(names))
  return names.filter((name) => SEGMENT.test(name) && !current.has(name))
}

/** Epoch of a segment; 0 if it is no copy. */
export function getEpoch(file: string): number {
  return Number(SEGMENT.exec(basename(file))?.[2] ?? 0)
}

/** Number of the first record of a segment, by its name. */
export function getFirstSeq(file: string): number {
  return Number(SEGMENT.exec(basename(file))?.[1] ?? 0)
}

/** Reads the names in the folder of a log; empty if the folder is missing. */
export function readFolderNames(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Path of the segment that starts with a record. */
export function getSegmentPath(dir: string, firstSeq: number, epoch = 0): string {
  const suffix = epoch === 0 ? '' : `.${epoch}`
  return join(dir, `${String(firstSeq).padStart(16, '0')}${suffix}.jsonl`)
}

/** Path of the head, which records the end of the log outside of its segments. */
export function getHeadPath(dir: string): string {
  return join(dir, 'head.json')
}
