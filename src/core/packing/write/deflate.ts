import { startWorkSlices } from '../../../util/slices/work-slices.ts'
import {
  createDistanceCodes,
  createLengthTable,
  createLiteralCodes,
  FIRST_LONG_LITERAL,
  MAX_DISTANCE,
  MAX_MATCH,
} from './fixed-codes.ts'

/** A change of these changes the bytes of every archive. */
const HASH_BITS = 13
const MIN_MATCH = 4
/** After so many bytes without a match, more bytes are skipped at a time. */
const SKIP_SHIFT = 6
const MAX_STEP_BYTES = 256 * 1024
/** So many bytes without a match are stored, which is faster and at most 1 % longer. */
const MIN_STORED_BYTES = 1024
const MAX_STORED_BYTES = 65_535

/** Headers of blocks. The lowest bit is set in the last one. */
const STORED_BLOCK = 0b000
const FIXED_BLOCK = 0b010
const HEADER_BITS = 3
/** The end of a block is seven zeros. */
const END_BITS = 7
const DISTANCE_BITS = 5
/** Bytes of the memory for output that headers and ends of blocks, and a write of 32 bits, may need. */
const SPARE_BYTES = 64
const MIN_MEMORY_BYTES = 128 * 1024
const MAX_POSITION = 2 ** 31 - 1

const LITERALS = createLiteralCodes()
const { codes: LENGTH_CODES, counts: LENGTH_COUNTS } = createLengthTable()
const DISTANCES = createDistanceCodes()

/**
 * Compresses to the same bytes everywhere: in JavaScript with integers only, because the output of
 * zlib depends on its version and on the processor. Fixed codes, and the newest match of each hash.
 * Its memory is used again: one archive at a time.
 */
export class Deflater {
  #memory = Buffer.alloc(0)
  #input = new DataView(this.#memory.buffer)
  /** At most 9 bits per byte. */
  #output = new DataView(new ArrayBuffer(SPARE_BYTES))
  /** The newest position of each hash, plus the base of its call. */
  #newest = new Int32Array(1 << HASH_BITS)
  /** More than all positions of earlier calls. */
  #base = 1
  /** Complete bytes of the output, and up to 15 bits that follow. */
  #written = 0
  #bits = 0
  #count = 0
  /** Position of the header of the newest block. */
  #block = { byte: 0, bit: 0 }

  /** Returns memory for the bytes to compress, which has the bytes of an earlier call. */
  reserve(size: number): Buffer {
    if (this.#memory.length < size) {
      const length = Math.max(size, MIN_MEMORY_BYTES)
      this.#memory = Buffer.from(new ArrayBuffer(length))
      this.#output = new DataView(new ArrayBuffer(length + Math.ceil(length / 8) + SPARE_BYTES))
    }
    this.#input = new DataView(this.#memory.buffer, 0, size)
    return this.#memory.subarray(0, size)
  }

  /** Compresses the reserved memory; returns memory that the next call overwrites. */
  async compress(): Promise<Uint8Array> {
    const { byteLength } = this.#input
    this.#start(byteLength)
    const yieldIfDue = startWorkSlices()
    for (let at = 0; at < byteLength;) {
      at = this.#encode(at, Math.min(at + MAX_STEP_BYTES, byteLength))
      await yieldIfDue()
    }
    return this.#finish()
  }

  #start(size: number): void {
    if (this.#base > MAX_POSITION - size) {
      this.#newest.fill(0)
      this.#base = 1
    }
    this.#written = 0
    this.#bits = 0
    this.#count = 0
    this.#startBlock()
  }

  #finish(): Uint8Array {
    this.#endBlock()
    this.#align()
    // The bit by which a block is the last one.
    const { byte, bit } = this.#block
    this.#output.setUint8(byte, this.#output.getUint8(byte) | (1 << bit))
    this.#base += this.#input.byteLength
    return new Uint8Array(this.#output.buffer, 0, this.#written)
  }

  /** Encodes at least up to `end`; returns the position after it. */
  #encode(start: number, end: number): number {
    const input = this.#input
    const newest = this.#newest
    const base = this.#base
    const size = input.byteLength
    const lastHash = size - MIN_MATCH
    let at = start
    let literalsFrom = start
    let misses = 0
    while (at < end && at <= lastHash) {
      const word = input.getInt32(at, true)
      const hash = hashWord(word)
      const before = (newest[hash] as number) - base
      newest[hash] = at + base
      if (before < 0 || at - before > MAX_DISTANCE || input.getInt32(before, true) !== word) {
        misses += 1
        at += 1 + (misses >> SKIP_SHIFT)
        continue
      }
      const length = this.#measureMatch(before, at)
      this.#writeLiterals(literalsFrom, at)
      this.#writeMatch(length, at - before)
      at += length
      literalsFrom = at
      misses = 0
      // Finds the next match of repeated records earlier.
      if (at <= lastHash) newest[hashWord(input.getInt32(at - 2, true))] = at - 2 + base
    }
    const done = at > lastHash ? size : at
    this.#writeLiterals(literalsFrom, done)
    return done
  }

  /** The first bytes are known to be equal. */
  #measureMatch(before: number, at: number): number {
    const input = this.#input
    const max = Math.min(MAX_MATCH, input.byteLength - at)
    let length = MIN_MATCH
    for (; length + 4 <= max; length += 4) {
      const difference = input.getInt32(before + length, true) ^ input.getInt32(at + length, true)
      if (difference === 0) continue
      const lowestBit = 31 - Math.clz32(difference & -difference)
      return length + (lowestBit >> 3)
    }
    while (length < max && input.getUint8(before + length) === input.getUint8(at + length)) {
      length += 1
    }
    return length
  }

  #writeLiterals(from: number, to: number): void {
    if (from === to) return
    if (to - from >= MIN_STORED_BYTES) return this.#store(from, to)
    const input = this.#memory
    const output = this.#output
    let bits = this.#bits
    let count = this.#count
    let written = this.#written
    for (let at = from; at < to; at += 1) {
      const value = input[at] as number
      bits |= (LITERALS[value] as number) << count
      count += value < FIRST_LONG_LITERAL ? 8 : 9
      if (count < 16) continue
      output.setUint16(written, bits, true)
      written += 2
      bits >>>= 16
      count -= 16
    }
    this.#bits = bits
    this.#count = count
    this.#written = written
  }

  #writeMatch(length: number, distance: number): void {
    this.#write(LENGTH_CODES[length] as number, LENGTH_COUNTS[length] as number)
    const offset = distance - 1
    if (offset < 4) return this.#write(DISTANCES[offset] as number, DISTANCE_BITS)
    // Two symbols for each power of two; the lower bits follow.
    const extra = 30 - Math.clz32(offset)
    const code = DISTANCES[2 * extra + (offset >>> extra)] as number
    const lower = offset & ((1 << extra) - 1)
    this.#write(code | (lower << DISTANCE_BITS), DISTANCE_BITS + extra)
  }

  /** Blocks without compression, between blocks of fixed codes. */
  #store(from: number, to: number): void {
    this.#endBlock()
    const output = new Uint8Array(this.#output.buffer)
    for (let at = from; at < to; at += MAX_STORED_BYTES) {
      const piece = this.#memory.subarray(at, Math.min(at + MAX_STORED_BYTES, to))
      this.#write(STORED_BLOCK, HEADER_BITS)
      this.#align()
      this.#output.setUint16(this.#written, piece.length, true)
      this.#output.setUint16(this.#written + 2, ~piece.length, true)
      output.set(piece, this.#written + 4)
      this.#written += 4 + piece.length
    }
    this.#startBlock()
  }

  #startBlock(): void {
    this.#block = { byte: this.#written, bit: this.#count }
    this.#write(FIXED_BLOCK, HEADER_BITS)
  }

  #endBlock(): void {
    this.#write(0, END_BITS)
  }

  /** Fills the last byte with zeros. */
  #align(): void {
    this.#write(0, (8 - this.#count) % 8)
  }

  /** At most 17 bits after literals, and otherwise 18: fewer than 8 bits wait then. */
  #write(bits: number, count: number): void {
    const all = this.#bits | (bits << this.#count)
    const allCount = this.#count + count
    this.#output.setInt32(this.#written, all, true)
    this.#written += allCount >> 3
    this.#bits = all >>> (allCount & 24)
    this.#count = allCount & 7
  }
}

function hashWord(word: number): number {
  return Math.imul(word, 0x9e3779b1) >>> (32 - HASH_BITS)
}
