import { closeSync, openSync, readSync, write, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import { parseCounter } from './cgroup-files.ts'

const writeAsync = promisify(write)
/** Larger than any counter file. */
const READ_BUFFER = Buffer.alloc(8192)

/** Keeps a control group file open between accesses. */
export class GroupFile {
  #path: string
  #mode: 'r' | 'r+' | 'w'
  #fd: number | undefined
  #writing = 0
  #isClosed = false

  /** Never creates the file: only the kernel can. */
  constructor(path: string, mode: 'r' | 'r+' | 'w' = 'r') {
    this.#path = path
    this.#mode = mode
  }

  /** Reads a file of a single number; NaN if it cannot be read. */
  readNumber(): number {
    const text = this.#read()
    return text === '' ? NaN : Number(text)
  }

  /** Reads a counter from `name value` lines, or a single number; 0 if it is missing. */
  readCount(name?: string): number {
    return parseCounter(this.#read(), name)
  }

  write(value: number): void {
    writeSync(this.#open(), String(value), 0)
  }

  /** For writes that may block in the kernel. */
  async writeAsync(value: number): Promise<void> {
    const fd = this.#open()
    this.#writing += 1
    try {
      await writeAsync(fd, String(value), 0)
    } finally {
      this.#writing -= 1
      if (this.#isClosed) this.close()
    }
  }

  /**
   * Closes the file for good, after pending writes: closed earlier, the descriptor could already
   * belong to another file.
   */
  close(): void {
    this.#isClosed = true
    if (this.#writing > 0) return
    if (this.#fd !== undefined) closeSync(this.#fd)
    this.#fd = undefined
  }

  #read(): string {
    try {
      return READ_BUFFER.toString(
        'latin1',
        0,
        readSync(this.#open(), READ_BUFFER, 0, READ_BUFFER.length, 0),
      )
    } catch {
      return ''
    }
  }

  #open(): number {
    if (this.#isClosed) throw new Error(`${this.#path} is closed`)
    return (this.#fd ??= openSync(this.#path, this.#mode))
  }
}
