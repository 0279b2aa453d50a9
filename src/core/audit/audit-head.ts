import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { Link } from './chain.ts'
import { headFile } from './audit-places.ts'

/** One sector, written in one go: it is the old one or the new one, never half of each. */
const SIZE = 512

/** Where the log ended when it was last made durable; undefined where nothing remembers it. */
export function readHead(dir: string): Link | undefined {
  try {
    const { seq, hash } = JSON.parse(readFileSync(headFile(dir), 'utf8')) as Link
    return Number.isSafeInteger(seq) && typeof hash === 'string' ? { seq, hash } : undefined
  } catch {
    return undefined
  }
}

/** Remembers where the log ends, once what it says is on the disk. */
export function writeHead(dir: string, { seq, hash }: Link): void {
  const fd = openHead(headFile(dir))
  try {
    writeSync(fd, `${JSON.stringify({ seq, hash }).padEnd(SIZE - 1)}\n`, 0)
    ftruncateSync(fd, SIZE)
  } finally {
    closeSync(fd)
  }
}

function openHead(file: string): number {
  try {
    return openSync(file, 'r+')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return openSync(file, 'w', 0o600)
  }
}
