import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { startWorkSlices } from '../../../util/slices/work-slices.ts'

/** Characters to collect before they are written. */
const CHUNK_CHARS = 256 * 1024

/** Reads the lines of a cache file; large files do not block the event loop. */
export async function* readLines(path: string): AsyncGenerator<string> {
  const text = await readFile(path, 'utf8')
  const yieldIfDue = startWorkSlices()
  let from = 0
  for (let to = text.indexOf('\n'); to !== -1; to = text.indexOf('\n', from)) {
    yield text.slice(from, to)
    from = to + 1
    await yieldIfDue()
  }
}

/**
 * Replaces a cache file atomically; rendering the lines does not block the event loop. A failure
 * costs only time, because the file is a cache.
 */
export async function writeLines(path: string, lines: Iterable<string>): Promise<void> {
  const draft = `${path}.${process.pid}-${process.hrtime.bigint().toString(36)}`
  const yieldIfDue = startWorkSlices()
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const file = await open(draft, 'wx', 0o600)
    try {
      let text = ''
      for (const line of lines) {
        text += `${line}\n`
        if (text.length > CHUNK_CHARS) {
          await file.write(text)
          text = ''
        }
        await yieldIfDue()
      }
      await file.write(text)
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch {
    await rm(draft, { force: true }).catch(() => {})
  }
}
