import { startWorkSlices } from '../../../util/slices/work-slices.ts'
import {
  createDistanceTable,
  createLengthTable,
  createLiteralTable,
  MAX_DISTANCE,
  MAX_MATCH,
} from './fixed-codes.ts'

/** A change of these changes the bytes of every archive. */
const HASH_BITS = 13
const MIN_MATCH = 4
/** After so many bytes without a match, more bytes are skipped at a time. */
const SKIP_SHIFT = 6
const MAX_STEP_BYTES = 256 * 1024
const MAX_STORED_BYTES = 65_535

const LITERALS = createLiteralTable()
const LENGTHS = createLengthTable()
const DISTANCES = createDistanceTable()

/**
 * Compresses to the same bytes everywhere: in JavaScript with integers only, because the output of
 * zlib depends on its version and on the processor. One block of fixed codes, in which the newest
 * match of each hash counts; stored if that is not shorter.
 */
export async function deflate(bytes: Uint8Array): Promise<Uint8Array> {
  const deflater = new FixedDeflater(bytes)
  const yieldIfDue = startWorkSlices()
  for (let end = 0; end < bytes.length;) {
    end = Math.min(end + MAX_STEP_BYTES, bytes.length)
    deflater.encodeTo(end)
    await yieldIfDue()
  }
  const encoded = deflater.finish()
  return encoded.length < bytes.length + 5 ? encoded : store(bytes)
}

/** Blocks without compression. */
function store(bytes: Uint8Array): Uint8Array {
  const pieces: Uint8Array[] = []
  for (let at = 0; at === 0 || at < bytes.length; at += MAX_STORED_BYTES) {
    const piece = bytes.subarray(at, at + MAX_STORED_BYTES)
    const header = Buffer.alloc(5)
    header[0] = at + MAX_STORED_BYTES >= bytes.length ? 1 : 0
    header.writeUInt16LE(piece.length, 1)
    header.writeUInt16LE(~piece.length & 0xffff, 3)
    pieces.push(header, piece)
  }
  return Buffer.concat(pieces)
}

class FixedDeflater {
  #input: Uint8Array
  /** At most 9 bits per byte. */
  #output: Uint8Array
  /** Position after the newest occurrence of each hash; 0 for none. */
  #newest = new Int32Array(1 << HASH_BITS)
  #at = 0
  #written = 0
  /** Bits that are not written yet: the last block, of fixed codes. */
  #bits = 0b011
  #count = 3

  constructor(input: Uint8Array) {
    this.#input = input
    this.#output = new Uint8Array(input.length + (input.length >> 3) + 16)
  }

  /** Encodes at least up to this position. */
  encodeTo(end: number): void {
    const input = this.#input
    const newest = this.#newest
    const lastHash = input.length - MIN_MATCH
    let at = this.#at
    let literalsFrom = at
    let misses = 0
    while (at < end && at <= lastHash) {
      const word = readWord(input, at)
      const hash = Math.imul(word, 0x9e3779b1) >>> (32 - HASH_BITS)
      const before = (newest[hash] as number) - 1
      newest[hash] = at + 1
      if (before < 0 || at - before > MAX_DISTANCE || readWord(input, before) !== word) {
        misses += 1
        at += 1 + (misses >> SKIP_SHIFT)
        continue
      }
      const length = measureMatch(input, before, at)
      this.#writeLiterals(literalsFrom, at)
      this.#writeMatch(length, at - before)
      at += length
      literalsFrom = at
      misses = 0
    }
    const done = Math.min(Math.max(at, end), input.length)
    this.#writeLiterals(literalsFrom, done)
    this.#at = done
  }

  finish(): Uint8Array {
    // The end of a block is the code 256, seven zeros; the rest fills the last byte.
    this.#count += 7
    while (this.#count > 0) {
      this.#output[this.#written++] = this.#bits & 0xff
      this.#bits >>>= 8
      this.#count -= 8
    }
    return this.#output.subarray(0, this.#written)
  }

  #writeLiterals(from: number, to: number): void {
    const { bits: codes, counts } = LITERALS
    const [input, output] = [this.#input, this.#output]
    let [bits, count, written] = [this.#bits, this.#count, this.#written]
    for (let at = from; at < to; at += 1) {
      const value = input[at] as number
      bits |= (codes[value] as number) << count
      count += counts[value] as number
      while (count >= 8) {
        output[written++] = bits & 0xff
        bits >>>= 8
        count -= 8
      }
    }
    this.#bits = bits
    this.#count = count
    this.#written = written
  }

  #writeMatch(length: number, distance: number): void {
    this.#write(LENGTHS.bits[length] as number, LENGTHS.counts[length] as number)
    this.#write(DISTANCES.bits[distance] as number, DISTANCES.counts[distance] as number)
  }

  /** At most 18 bits; fewer than 8 wait before it. */
  #write(bits: number, count: number): void {
    this.#bits |= bits << this.#count
    this.#count += count
    while (this.#count >= 8) {
      this.#output[this.#written++] = this.#bits & 0xff
      this.#bits >>>= 8
      this.#count -= 8
    }
  }
}

function readWord(input: Uint8Array, at: number): number {
  return (
    (input[at] as number) |
    ((input[at + 1] as number) << 8) |
    ((input[at + 2] as number) << 16) |
    ((input[at + 3] as number) << 24)
  )
}

function measureMatch(input: Uint8Array, before: number, at: number): number {
  const max = Math.min(MAX_MATCH, input.length - at)
  let length = MIN_MATCH
  while (length < max && input[before + length] === input[at + length]) length += 1
  return length
}
