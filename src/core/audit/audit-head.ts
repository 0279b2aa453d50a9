import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { ChainLink } from './chain.ts'
import { getHeadPath } from './audit-paths.ts'

/**
 * One disk sector, written in one call: a crash leaves the old head or the new one, never a mix.
 */
const HEAD_BYTES = 512

/**
 * Returns the link that was last made durable; undefined if the head is missing or not readable.
 */
export function readHead(dir: string): ChainLink | undefined {
  try {
    const { seq, hash } = JSON.parse(readFileSync(getHeadPath(dir), 'utf8')) as ChainLink
    return Number.isSafeInteger(seq) && typeof hash === 'string' ? { seq, hash } : undefined
  } catch {
    return undefined
  }
}

/** Writes the head file, which it opens at the first write. */
export class HeadWriter {
  #dir: string
  #fd: number | undefined
  #seq = 0

  constructor(dir: string) {
    this.#dir = dir
  }

  /** Records the end of the log. Call it only after the records up to there are on disk. */
  write({ seq, hash }: ChainLink): void {
    // Syncs may complete out of order: the head never goes back.
    if (seq < this.#seq) return
    this.#seq = seq
    const isFirst = this.#fd === undefined
    this.#fd ??= openHeadFile(getHeadPath(this.#dir))
    writeSync(this.#fd, `${JSON.stringify({ seq, hash }).padEnd(HEAD_BYTES - 1)}\n`, 0)
    if (isFirst) ftruncateSync(this.#fd, HEAD_BYTES)
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd)
    this.#fd = undefined
  }
}

function openHeadFile(file: string): number {
  try {
    return openSync(file, 'r+')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    // Another process may create it meanwhile: its content must stay.
    return openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600)
  }
}
