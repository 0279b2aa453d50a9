import { randomBytes } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createOwnName } from '../../util/leftovers.ts'

/** Size at which the file is replaced by a single line. */
const MAX_FILE_BYTES = 64 * 1024

/**
 * Bytes in a folder, maintained by all processes that use it as one file of additions, so that a
 * write needs no count of the folder. Small appends are atomic; the next count corrects what a
 * crash left out. Reads are synchronous, because the file is small and a thread pool would take
 * longer.
 */
export interface Usage {
  /** Undefined if the folder was never counted. */
  read(): number | undefined
  add(bytes: number): void
  /** Never throws: the bytes are removed even if this cannot be recorded. */
  subtract(bytes: number): void
  /** Adds bytes and returns the total of this and all earlier entries, without later ones. */
  addAndRead(bytes: number): number | undefined
  /** Sets the result of a count; `since` is the mark from the start of the count. */
  set(bytes: number, since: number): void
  /** A mark for `set`. */
  mark(): number
}

/** Opens the usage of an existing folder. */
export function openUsage(dir: string): Usage {
  const file = join(dir, '.usage')
  const replaceFile = (bytes: number) => {
    const draft = join(dir, '.drafts', createOwnName())
    try {
      mkdirSync(dirname(draft), { recursive: true, mode: 0o700 })
      writeFileSync(draft, `=${Math.max(0, bytes)}\n`, { flag: 'wx', mode: 0o600 })
      renameSync(draft, file)
    } catch {
      // The disk may be full while data is removed; the next count corrects the total.
      rmSync(draft, { force: true })
    }
  }
  return {
    read: () => {
      const text = readUsageFile(file)
      const bytes = sumEntries(text)
      if (bytes !== undefined && text.length > MAX_FILE_BYTES) replaceFile(bytes)
      return bytes
    },
    add: (bytes) => {
      if (bytes > 0) appendFileSync(file, `+${bytes}\n`, { mode: 0o600 })
    },
    subtract: (bytes) => {
      try {
        if (bytes > 0) appendFileSync(file, `-${bytes}\n`, { mode: 0o600 })
      } catch {
        // Same as above.
      }
    },
    addAndRead: (bytes) => {
      const tag = randomBytes(6).toString('hex')
      appendFileSync(file, `+${bytes} ${tag}\n`, { mode: 0o600 })
      const text = readUsageFile(file)
      const at = text.indexOf(tag)
      // Missing if the file was replaced since the append.
      return sumEntries(at === -1 ? text : text.slice(0, at))
    },
    mark: () => readUsageFile(file).length,
    set: (bytes, since) => {
      const text = readUsageFile(file)
      // Shorter than the mark: another process has counted meanwhile, and its count includes later
      // entries.
      const later = text.length >= since ? (sumEntries(`=0\n${text.slice(since)}`) ?? 0) : 0
      replaceFile(bytes + later)
    },
  }
}

/** Undefined if no count precedes the entries. */
function sumEntries(text: string): number | undefined {
  let total: number | undefined
  for (const line of text.split('\n')) {
    const [, kind, digits] = /^([=+-])(\d+)(?: |$)/.exec(line) ?? []
    if (digits === undefined) continue
    const value = Number(digits) * (kind === '-' ? -1 : 1)
    if (kind === '=') total = value
    else if (total !== undefined) total += value
  }
  return total
}

function readUsageFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
