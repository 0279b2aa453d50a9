import { closeSync, openSync, readSync, write, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import { parseCounter } from './cgroup-files.ts'

const writeAsync = promisify(write)
/** More than any file of counters holds. */
const READ_BUFFER = Buffer.alloc(8192)

/** A file of a control group that is asked again and again: it stays open from the first time on. */
export class GroupFile {
  #path: string
  #mode: 'r' | 'r+' | 'w'
  #fd: number | undefined
  #writing = 0
  #isClosed = false

  /** Never made where it is not there: the kernel makes no file on request. */
  constructor(path: string, mode: 'r' | 'r+' | 'w' = 'r') {
    this.#path = path
    this.#mode = mode
  }

  /** Its one number; not a number where it cannot be read. */
  readNumber(): number {
    const text = this.#read()
    return text === '' ? NaN : Number(text)
  }

  /** The value of one of its `name value` lines, or its one number; 0 where there is none. */
  readCount(name?: string): number {
    return parseCounter(this.#read(), name)
  }

  write(value: number): void {
    writeSync(this.#open(), String(value), 0)
  }

  /** Where the kernel may let the writer wait. */
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

  /** For good. Not before all is written: the number would be another file's by then. */
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
    if (this.#isClosed) throw new Error(`${this.#path} is not in use any more`)
    return (this.#fd ??= openSync(this.#path, this.#mode))
  }
}
