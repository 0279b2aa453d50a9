/** A part of a stream that is compressed separately (a gzip member, RFC 1952). */
interface GzipMember {
  bytes: number
  /** Compressed size in bytes. */
  stored: number
  lineEnds: number
  /** SHA-256 of the compressed bytes, in base64. */
  digest: string
}

const DIGEST_BYTES = 32
const RECORD_BYTES = 12 + DIGEST_BYTES

/** Packs a member's description into a fixed number of bytes. */
export function packMember({ bytes, stored, lineEnds, digest }: GzipMember): Buffer {
  const packed = Buffer.alloc(RECORD_BYTES)
  packed.writeUInt32LE(bytes, 0)
  packed.writeUInt32LE(stored, 4)
  packed.writeUInt32LE(lineEnds, 8)
  packed.write(digest, 12, 'base64')
  return packed
}

/**
 * Index of a stream's gzip members. A gigabyte has thousands of them, so they are unpacked on
 * demand.
 */
export class MemberIndex {
  #packed: Buffer

  constructor(packed: Buffer) {
    this.#packed = packed
  }

  get length(): number {
    return Math.floor(this.#packed.length / RECORD_BYTES)
  }

  at(index: number): GzipMember {
    const start = index * RECORD_BYTES
    return {
      bytes: this.#packed.readUInt32LE(start),
      stored: this.#packed.readUInt32LE(start + 4),
      lineEnds: this.#packed.readUInt32LE(start + 8),
      digest: this.#packed.toString('base64', start + 12, start + RECORD_BYTES),
    }
  }
}
