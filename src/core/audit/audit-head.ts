import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { ChainLink } from './chain.ts'
import { headPath } from './audit-paths.ts'

/** One sector, written in one go: it is the old one or the new one, never half of each. */
const HEAD_BYTES = 512

/** Where the log ended when it was last made durable; undefined where nothing remembers it. */
export function readHead(dir: string): ChainLink | undefined {
  try {
    const { seq, hash } = JSON.parse(readFileSync(headPath(dir), 'utf8')) as ChainLink
    return Number.isSafeInteger(seq) && typeof hash === 'string' ? { seq, hash } : undefined
  } catch {
    return undefined
  }
}

/** A head that is written to, opened when it is first needed. */
export class HeadWriter {
  #dir: string
  #fd: number | undefined
  #seq = 0

  constructor(dir: string) {
    this.#dir = dir
  }

  /** Remembers where the log ends, once what it says is on the disk. */
  write({ seq, hash }: ChainLink): void {
    // What was asked for before may be answered later.
    if (seq < this.#seq) return
    this.#seq = seq
    const isFirst = this.#fd === undefined
    this.#fd ??= openHeadFile(headPath(this.#dir))
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
    return openSync(file, 'w', 0o600)
  }
}
