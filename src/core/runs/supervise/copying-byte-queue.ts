/** Bytes are copied into blocks of this size. */
const BLOCK_BYTES = 64 * 1024

/**
 * Bytes that are appended at the end and dropped at the beginning. Unlike ByteQueue, it copies them,
 * so its memory is bounded however small the pieces are.
 */
export class CopyingByteQueue {
  /** All but the last are full. */
  #blocks: Buffer[] = []
  /** Dropped bytes of the first block. */
  #dropped = 0
  /** Used bytes of the last block. */
  #used = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  push(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) {
      if (this.#blocks.length === 0 || this.#used === BLOCK_BYTES) {
        this.#blocks.push(Buffer.allocUnsafeSlow(BLOCK_BYTES))
        this.#used = 0
      }
      const copied = bytes.copy(this.#blocks.at(-1) as Buffer, this.#used, at)
      this.#used += copied
      at += copied
    }
    this.#size += bytes.length
  }

  /** Drops bytes at the beginning. */
  drop(size: number): void {
    const dropped = Math.min(size, this.#size)
    this.#dropped += dropped
    this.#size -= dropped
    const count = Math.floor(this.#dropped / BLOCK_BYTES)
    this.#blocks.splice(0, count)
    this.#dropped -= count * BLOCK_BYTES
  }

  toBuffer(): Buffer {
    const all = Buffer.concat(this.#blocks)
    return all.subarray(this.#dropped, this.#dropped + this.#size)
  }
}
