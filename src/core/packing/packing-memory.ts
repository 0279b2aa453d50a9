import { Deflater } from './write/deflate.ts'

/** Most skills are smaller. */
const FILES_BYTES = 1024 ** 2

/**
 * Memory for packing many skills one after the other: the system takes longer to provide new memory
 * for each skill than this process takes to compress it.
 */
export class PackingMemory {
  readonly deflater = new Deflater()
  #files = Buffer.allocUnsafeSlow(FILES_BYTES)
  #used = 0
  #isInUse = false

  /** Memory for a file of the skill, which is valid until the work on the skill ends. */
  allocate(size: number): Buffer {
    if (size > this.#files.length - this.#used) return Buffer.allocUnsafeSlow(size)
    this.#used += size
    return this.#files.subarray(this.#used - size, this.#used)
  }

  /** Does the work on one skill; refuses a second one at the same time. */
  async use<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isInUse) throw new Error('This memory is in use for another skill')
    this.#isInUse = true
    this.#used = 0
    try {
      return await work()
    } finally {
      this.#isInUse = false
    }
  }
}
