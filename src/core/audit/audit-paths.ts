import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const SEGMENT = /^(\d{16})\.jsonl$/

/** The files of a log, oldest first; each is named for its first record. */
export function filterSegments(names: readonly string[]): string[] {
  return names.filter((name) => SEGMENT.test(name)).toSorted()
}

/** Names in the folder of a log; none where it is missing. */
export function readFolderNames(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** The file that begins with a record. */
export function segmentPath(dir: string, firstSeq: number): string {
  return join(dir, `${String(firstSeq).padStart(16, '0')}.jsonl`)
}

/** Remembers where the log ended, apart from it. */
export function headPath(dir: string): string {
  return join(dir, 'head.json')
}
