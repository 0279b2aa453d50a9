import { randomBytes } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createOwnName } from '../../util/leftovers.ts'

/** Beyond this the file is written anew, as one line. */
const MAX_FILE_BYTES = 64 * 1024

/**
 * How many bytes a folder holds, kept by all processes that use it in one file of additions, so that
 * nobody counts the folder to write one more thing. Small appends are atomic; what a crash leaves
 * out is put right when the folder is counted anew. The file is small: waiting for a thread would
 * take longer than reading it.
 */
export interface Usage {
  /** Undefined where it was never counted. */
  read(): number | undefined
  add(bytes: number): void
  /** Never throws: what was removed is gone, whether that can be written down or not. */
  subtract(bytes: number): void
  /** Adds, and reads what it comes to with all that was added before and nothing after. */
  addAndRead(bytes: number): number | undefined
  /** Sets what was counted; `since` is the mark at which counting began. */
  set(bytes: number, since: number): void
  /** A mark for `set`. */
  mark(): number
}

/** The usage of a folder that exists. */
export function openUsage(dir: string): Usage {
  const file = join(dir, '.usage')
  const replace = (bytes: number) => {
    const draft = join(dir, '.drafts', createOwnName())
    try {
      mkdirSync(dirname(draft), { recursive: true, mode: 0o700 })
      writeFileSync(draft, `=${Math.max(0, bytes)}\n`, { flag: 'wx', mode: 0o600 })
      renameSync(draft, file)
    } catch {
      // On a full disk, where things are removed to make room: the next count puts it right.
      rmSync(draft, { force: true })
    }
  }
  return {
    read: () => {
      const text = readUsageFile(file)
      const bytes = sumEntries(text)
      if (bytes !== undefined && text.length > MAX_FILE_BYTES) replace(bytes)
      return bytes
    },
    add: (bytes) => {
      if (bytes > 0) appendFileSync(file, `+${bytes}\n`, { mode: 0o600 })
    },
    subtract: (bytes) => {
      try {
        if (bytes > 0) appendFileSync(file, `-${bytes}\n`, { mode: 0o600 })
      } catch {
        // As above.
      }
    },
    addAndRead: (bytes) => {
      const tag = randomBytes(6).toString('hex')
      appendFileSync(file, `+${bytes} ${tag}\n`, { mode: 0o600 })
      const text = readUsageFile(file)
      const at = text.indexOf(tag)
      // Not there: the file was written anew just now.
      return sumEntries(at === -1 ? text : text.slice(0, at))
    },
    mark: () => readUsageFile(file).length,
    set: (bytes, since) => {
      const text = readUsageFile(file)
      // Shorter than the mark: somebody else counted meanwhile, and what was added since is in it.
      const later = text.length >= since ? (sumEntries(`=0\n${text.slice(since)}`) ?? 0) : 0
      replace(bytes + later)
    },
  }
}

/** Undefined where the sum does not begin with a count. */
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
