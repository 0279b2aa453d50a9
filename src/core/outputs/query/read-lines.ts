import { LINE_END, skipLineEnds } from './line-ends.ts'
import type { ReadableStream, StreamPiece } from '../store/output-store.ts'

/** Limit of unprocessed lines on one page, in bytes. */
export const MAX_READ_BYTES = 256 * 1024

/** Range of lines to read; the beginning of the first line may be skipped. */
interface LineSpan {
  from: number
  to: number
  /** Bytes of the first line to skip. */
  fromByte: number
  maxBytes: number
}

/** Lines without any processing. */
export interface LineSlice {
  bytes: Buffer
  from: number
  to: number
  /** Position of the next page: after a line, or within the next one. */
  next: { afterLine: number; afterByte?: number } | undefined
}

/** Reads lines of a stream; undefined if it has none of them. */
export async function readLineSlice(
  stream: ReadableStream,
  span: LineSpan,
): Promise<LineSlice | undefined> {
  const { from } = span
  const to = Math.min(span.to, stream.lines)
  if (from > to) return undefined
  const reader = new SpanReader({ ...span, to })
  await stream.read(from, (piece) => reader.consume(piece))
  return reader.finish(stream.lines)
}

/**
 * Finds the last lines of a stream, or all of them without a count: those after `afterLine` up to
 * `end`. The empty line after a line feed at the end is not one of the last lines.
 */
export async function findLineTail(
  stream: ReadableStream,
  count: number | undefined,
): Promise<{ afterLine: number; end: number }> {
  const { lines } = stream
  if (count === undefined || lines === 0) return { afterLine: 0, end: lines }
  const last = await readLineSlice(stream, { from: lines, to: lines, fromByte: 0, maxBytes: 1 })
  const end = last?.bytes.length === 0 ? lines - 1 : lines
  return { afterLine: Math.max(0, end - count), end }
}

class SpanReader {
  #span: LineSpan
  #chunks: Buffer[] = []
  #size = 0
  /** Line feeds read so far. */
  #lineEnds = 0
  #hasBegun = false
  #skip: number

  constructor(span: LineSpan) {
    this.#span = span
    this.#skip = span.fromByte
  }

  consume({ bytes, lineEndsBefore }: StreamPiece): boolean {
    const { from, to, maxBytes } = this.#span
    let at = 0
    if (!this.#hasBegun) {
      const start = skipLineEnds(bytes, from - 1 - lineEndsBefore)
      if (start === undefined) return true
      this.#hasBegun = true
      at = start
    }
    const skipped = Math.min(this.#skip, bytes.length - at)
    this.#skip -= skipped
    at += skipped
    while (at < bytes.length && this.#size < maxBytes) {
      const end = bytes.indexOf(LINE_END, at)
      const stop = Math.min(end === -1 ? bytes.length : end + 1, at + maxBytes - this.#size)
      // Copied, because the piece is valid only during this call.
      this.#chunks.push(Buffer.from(bytes.subarray(at, stop)))
      this.#size += stop - at
      at = stop
      if (stop !== end + 1) continue
      this.#lineEnds += 1
      if (this.#lineEnds > to - from) return false
    }
    return this.#size < maxBytes
  }

  finish(lines: number): LineSlice {
    const { from, to, fromByte, maxBytes } = this.#span
    const bytes = Buffer.concat(this.#chunks)
    const isComplete = this.#lineEnds > to - from || this.#size < maxBytes
    if (isComplete) {
      const next = to < lines ? { afterLine: to } : undefined
      return { bytes: this.#lineEnds > to - from ? bytes.subarray(0, -1) : bytes, from, to, next }
    }
    const last = bytes.lastIndexOf(LINE_END)
    if (last === -1) {
      const cut = trimPartialCharacter(bytes)
      const before = fromByte + cut.length
      return { bytes: cut, from, to: from, next: { afterLine: from - 1, afterByte: before } }
    }
    const shown = from + this.#lineEnds - 1
    return { bytes: bytes.subarray(0, last), from, to: shown, next: { afterLine: shown } }
  }
}

/** Drops an incomplete character at the end. */
function trimPartialCharacter(bytes: Buffer): Buffer {
  for (let back = 1; back <= 3 && back < bytes.length; back++) {
    const byte = bytes[bytes.length - back] as number
    if (byte < 0x80) break
    if (byte < 0xc0) continue
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return needed > back ? bytes.subarray(0, -back) : bytes
  }
  return bytes
}
