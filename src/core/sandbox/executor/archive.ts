/** Types of entries in the archives of `src/guest/placing.py`. */
export const ENTRY = {
  folder: 'd',
  file: 'f',
  link: 'l',
  removed: 'r',
  /** The changed files exceed a limit, so that none follows. */
  tooMuch: 'x',
  end: 'e',
} as const

export type EntryType = (typeof ENTRY)[keyof typeof ENTRY]

const HEAD_BYTES = 15
/** The longest path that Linux accepts. */
const MAX_PATH = 4096

/** The head of an entry; its content follows. */
export interface EntryHead {
  type: EntryType
  mode: number
  path: Buffer
  size: number
}

export function encodeEntryHead({
  type,
  mode = 0,
  path = Buffer.alloc(0),
  size = 0,
}: Pick<EntryHead, 'type'> & Partial<EntryHead>): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.write(type, 0, 'latin1')
  head.writeUInt16BE(mode, 1)
  head.writeUInt32BE(path.length, 3)
  head.writeBigUInt64BE(BigInt(size), 7)
  return Buffer.concat([head, path])
}

/** Reads a stream in pieces of requested sizes. */
export class PieceReader {
  #source: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Returns 1 to `most` bytes; throws at the end of the stream. */
  async readSome(most: number): Promise<Buffer> {
    while (this.#rest.length === 0) await this.#fill()
    const piece = this.#rest.subarray(0, most)
    this.#rest = this.#rest.subarray(piece.length)
    return piece
  }

  async readExactly(size: number): Promise<Buffer> {
    const pieces: Buffer[] = []
    for (let left = size; left > 0;) {
      const piece = await this.readSome(left)
      pieces.push(piece)
      left -= piece.length
    }
    return Buffer.concat(pieces)
  }

  /** Reads the head of the next entry. Throws if the bytes are not one. */
  async readEntryHead(): Promise<EntryHead> {
    const head = await this.readExactly(HEAD_BYTES)
    const type = Object.values(ENTRY).find((each) => each.charCodeAt(0) === head[0])
    const [pathSize, size] = [head.readUInt32BE(3), Number(head.readBigUInt64BE(7))]
    if (type === undefined || pathSize > MAX_PATH || !Number.isSafeInteger(size)) {
      throw new Error('the returned files are not an archive')
    }
    return { type, mode: head.readUInt16BE(1), path: await this.readExactly(pathSize), size }
  }

  async #fill(): Promise<void> {
    const { value, done } = await this.#source.next()
    if (done) throw new Error('the returned files are cut')
    this.#rest = value
  }
}
