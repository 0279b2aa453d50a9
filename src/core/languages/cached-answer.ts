import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

/** Returns the path of the cache file for the answer to a question. */
export function getAnswerPath(cacheDir: string, kind: string, cacheKey: string): string {
  const name = createHash('sha256').update(cacheKey).digest('hex').slice(0, 32)
  return join(cacheDir, kind, `${name}.json`)
}

/**
 * Cached answers decide what a sandbox mounts, so only a file that no other user can write is
 * accepted.
 */
export function loadAnswer(path: string): unknown {
  let fd: number | undefined
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stat = fstatSync(fd)
    const isOwn = stat.isFile() && stat.uid === process.getuid?.() && (stat.mode & 0o022) === 0
    return isOwn ? JSON.parse(readFileSync(fd, 'utf8')) : undefined
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** Write errors are ignored: without a cache, the next process only takes longer. */
export function saveAnswer(path: string, answer: object): void {
  const temporary = `${path}.${process.pid}-${process.hrtime.bigint().toString(36)}`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(temporary, JSON.stringify(answer), { mode: 0o600, flag: 'wx' })
    renameSync(temporary, path)
  } catch {
    try {
      rmSync(temporary, { force: true })
    } catch {
      // The folder does not exist.
    }
  }
}
