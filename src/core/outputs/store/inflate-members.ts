import { createGunzip } from 'node:zlib'
import { MEMBER_BYTES } from './write-members.ts'

/** Decompresses gzip members one after the other with the same decoder. */
export class MemberInflater {
  /** A member fills exactly one chunk, so the chunk is not shared. */
  #gunzip = createGunzip({ chunkSize: MEMBER_BYTES })
  #chunks: Buffer[] = []
  #size = 0

  constructor() {
    this.#gunzip.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk)
      this.#size += chunk.length
    })
  }

  /** Content of a member. Throws if its size is not `bytes`. */
  async inflate(compressed: Buffer, bytes: number): Promise<Buffer> {
    await new Promise<void>((resolve, reject) => {
      this.#gunzip.once('error', reject)
      this.#gunzip.write(compressed, () => {
        this.#gunzip.off('error', reject)
        resolve()
      })
    })
    const [first = Buffer.alloc(0)] = this.#chunks
    const content = this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : first
    const size = this.#size
    this.#chunks = []
    this.#size = 0
    if (size !== bytes) throw new Error(`expected ${bytes} bytes, got ${size}`)
    return content
  }

  close(): void {
    this.#gunzip.on('error', () => {}).destroy()
  }
}
