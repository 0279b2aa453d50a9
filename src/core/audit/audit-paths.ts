import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const SEGMENT = /^(\d{16})\.jsonl$/

/** Returns the segment files of a log, oldest first; each is named after its first record. */
export function filterSegments(names: readonly string[]): string[] {
  return names.filter((name) => SEGMENT.test(name)).toSorted()
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
export function getSegmentPath(dir: string, firstSeq: number): string {
  return join(dir, `${String(firstSeq).padStart(16, '0')}.jsonl`)
}

/** Path of the head, which records the end of the log outside of its segments. */
export function getHeadPath(dir: string): string {
  return join(dir, 'head.json')
}
