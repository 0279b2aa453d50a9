import { randomBytes } from 'node:crypto'
import { appendFile, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'

/** Beyond this the file is written anew, as one line. */
const MAX_FILE = 64 * 1024

/**
 * How many bytes a folder holds, kept by all processes that use it in one file of additions, so that
 * nobody counts the folder to write one more thing. Small appends are atomic; what a crash leaves
 * out is put right when the folder is counted anew.
 */
export interface Usage {
  /** Undefined where it was never counted. */
  read(): Promise<number | undefined>
  add(bytes: number): Promise<void>
  /** Sets what was counted; `since` is the mark at which counting began. */
  set(bytes: number, since: number): Promise<void>
  /** A mark for `set`. */
  mark(): Promise<number>
}

/** The usage of a folder that exists. */
export function openUsage(dir: string): Usage {
  const file = join(dir, '.usage')
  const load = async () => await readFile(file, 'utf8').catch(ifMissing)
  const replace = async (bytes: number) => {
    const draft = join(dir, `.usage-${randomBytes(8).toString('hex')}`)
    const handle = await open(draft, 'wx', 0o600)
    try {
      await handle.writeFile(`=${Math.max(0, bytes)}\n`)
    } finally {
      await handle.close()
    }
    await rename(draft, file)
  }
  return {
    read: async () => {
      const text = await load()
      const bytes = text === undefined ? undefined : sum(text)
      if (text !== undefined && bytes !== undefined && text.length > MAX_FILE) await replace(bytes)
      return bytes
    },
    add: async (bytes) => {
      if (bytes !== 0) await appendFile(file, `${bytes > 0 ? '+' : ''}${bytes}\n`, { mode: 0o600 })
    },
    mark: async () => ((await load()) ?? '').length,
    set: async (bytes, since) => {
      const text = (await load()) ?? ''
      // Shorter than the mark: somebody else counted meanwhile, and what was added since is in it.
      const later = text.length >= since ? (sum(`=0\n${text.slice(since)}`) ?? 0) : 0
      await replace(bytes + later)
    },
  }
}

/** Undefined where the sum does not begin with a count. */
function sum(text: string): number | undefined {
  let total: number | undefined
  for (const line of text.split('\n')) {
    const value = Number(line.slice(line.startsWith('=') ? 1 : 0))
    if (line === '' || !Number.isSafeInteger(value)) continue
    if (line.startsWith('=')) total = value
    else if (total !== undefined) total += value
  }
  return total
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined
  throw error
}
