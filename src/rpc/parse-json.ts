import { flattenText } from '../util/slices/flatten-text.ts'
import type { Steps } from '../util/slices/run-in-slices.ts'
import {
  infinityError,
  longNameError,
  longNumberError,
  MAX_DEPTH,
  MAX_NUMBER_CHARS,
  notJsonError,
  tooDeepError,
  tooManyValuesError,
  type JsonLimits,
} from './json-limits.ts'

/** Maximum bytes of a string, or of white space, that are read in one step. */
const PIECE_BYTES = 64 * 1024
const STEPS_PER_YIELD = 64
/** A longer name takes long to hash. Bodies that are parsed at once are not longer than this. */
const MAX_NAME_BYTES = 128 * 1024
/** Length of the longest escape sequence. */
const ESCAPE_BYTES = 6

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BRACKET = 0x5b
const BACKSLASH = 0x5c
const LETTER_U = 0x75
const BRACE = 0x7b
/** Ends of a number or a literal. */
const DELIMITERS = new Set([0x20, 0x09, 0x0a, 0x0d, COMMA, BRACKET + 2, BRACE + 2])

/** An object or array whose end was not read yet. */
interface OpenValue {
  value: Record<string, unknown> | unknown[]
  /** Name of the member that is being read. */
  key: string
}

/**
 * Parses UTF-8 in short steps, with the results of `JSON.parse`. Throws as soon as a limit is
 * exceeded.
 *
 * Differential test: test/rpc/parse-json.test.ts
 */
export function* parseJson(bytes: Buffer, limits: JsonLimits): Steps<unknown> {
  const reader = new JsonReader(bytes)
  const tree = new JsonTree(reader, limits)
  for (let step = 1; ; step++) {
    if (step % STEPS_PER_YIELD === 0) yield
    const code = yield* reader.peek()
    if (code === BRACE || code === BRACKET) yield* tree.open(code)
    else yield* tree.add(code === QUOTE ? yield* reader.readString() : reader.readScalar())
    if (!tree.isComplete) continue
    if ((yield* reader.peek()) !== undefined) throw notJsonError()
    return tree.root
  }
}

/** The values that were read, and those that are open. */
class JsonTree {
  isComplete = false
  root: unknown
  readonly #reader: JsonReader
  readonly #maxValues: number
  readonly #open: OpenValue[] = []
  #values = 0

  constructor(reader: JsonReader, { maxValues }: JsonLimits) {
    this.#reader = reader
    this.#maxValues = maxValues
  }

  /** Opens an object or array at the position of the reader. */
  *open(code: number): Steps<void> {
    const reader = this.#reader
    if (this.#open.length === MAX_DEPTH) throw tooDeepError()
    const opened: OpenValue = { value: code === BRACE ? {} : [], key: '' }
    reader.at += 1
    if ((yield* reader.peek()) === code + 2) {
      reader.at += 1
      return yield* this.add(opened.value)
    }
    if (code === BRACE) opened.key = yield* reader.readKey()
    this.#open.push(opened)
  }

  /** Adds a complete value to its parent, and closes the parents that end after it. */
  *add(added: unknown): Steps<void> {
    for (let value = added; ;) {
      const parent = this.#open.at(-1)
      if (!parent) {
        this.root = value
        this.isComplete = true
        return
      }
      if (++this.#values > this.#maxValues) throw tooManyValuesError(this.#maxValues)
      addValue(parent, value)
      if (yield* this.#continue(parent)) return
      this.#open.pop()
      value = parent.value
    }
  }

  /** Reads what follows a value: true for a comma, false for the end of its parent. */
  *#continue(parent: OpenValue): Steps<boolean> {
    const reader = this.#reader
    const isArray = Array.isArray(parent.value)
    const next = yield* reader.peek()
    reader.at += 1
    if (next === COMMA) {
      if (!isArray) parent.key = yield* reader.readKey()
      return true
    }
    if (next !== (isArray ? BRACKET : BRACE) + 2) throw notJsonError()
    return false
  }
}

function addValue({ value: parent, key }: OpenValue, value: unknown): void {
  if (Array.isArray(parent)) parent.push(value)
  else if (key === '__proto__') {
    const property = { value, writable: true, enumerable: true, configurable: true }
    Object.defineProperty(parent, key, property)
  } else parent[key] = value
}

class JsonReader {
  at = 0
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** Skips white space and returns the next byte; undefined at the end. */
  *peek(): Steps<number | undefined> {
    for (let count = 1; ; count++) {
      const code = this.#bytes[this.at]
      const isSpace = code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
      if (!isSpace) return code
      this.at += 1
      if (count % PIECE_BYTES === 0) yield
    }
  }

  /** Reads the name of a member and its colon. */
  *readKey(): Steps<string> {
    if ((yield* this.peek()) !== QUOTE) throw notJsonError()
    const start = this.at
    const key = yield* this.readString()
    if (this.at - start > MAX_NAME_BYTES) throw longNameError(MAX_NAME_BYTES)
    if ((yield* this.peek()) !== COLON) throw notJsonError()
    this.at += 1
    return key
  }

  *readString(): Steps<string> {
    const bytes = this.#bytes
    let text = ''
    for (let start = this.at + 1; ;) {
      const limit = Math.min(start + PIECE_BYTES, bytes.length)
      const end = findQuote(bytes, start, limit)
      if (end !== undefined) {
        this.at = end + 1
        const last = this.#decode(start, end)
        return text === '' ? last : yield* flattenText(text + last)
      }
      if (limit === bytes.length) throw notJsonError()
      const cut = findCut(bytes, start, limit)
      text += this.#decode(start, cut)
      start = cut
      yield
    }
  }

  /** Reads a number, `true`, `false` or `null`. */
  readScalar(): unknown {
    const bytes = this.#bytes
    let end = this.at
    while (end < bytes.length && !DELIMITERS.has(bytes[end] as number)) {
      if (end - this.at === MAX_NUMBER_CHARS) throw longNumberError()
      end += 1
    }
    const value = parsePart(bytes.toString('latin1', this.at, end))
    if (typeof value === 'number' && !Number.isFinite(value)) throw infinityError()
    this.at = end
    return value
  }

  #decode(start: number, end: number): string {
    return parsePart(`"${this.#bytes.toString('utf8', start, end)}"`) as string
  }
}

function parsePart(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw notJsonError(cause)
  }
}

/** Returns the index of the quote that ends a string; undefined if it is not before `limit`. */
function findQuote(bytes: Buffer, start: number, limit: number): number | undefined {
  const piece = bytes.subarray(start, limit)
  for (let at = piece.indexOf(QUOTE); at !== -1; at = piece.indexOf(QUOTE, at + 1)) {
    if (countBackslashes(piece, at) % 2 === 0) return start + at
  }
  return undefined
}

/** Returns how many backslashes are directly before an index. */
function countBackslashes(piece: Buffer, at: number): number {
  let count = 0
  while (piece[at - 1 - count] === BACKSLASH) count += 1
  return count
}

/** Returns the last index up to `limit` that is neither in a character nor in an escape sequence. */
function findCut(bytes: Buffer, start: number, limit: number): number {
  const piece = bytes.subarray(start, limit)
  const last = piece.lastIndexOf(BACKSLASH)
  if (last >= piece.length - ESCAPE_BYTES && countBackslashes(piece, last + 1) % 2 === 1) {
    const size = bytes[start + last + 1] === LETTER_U ? ESCAPE_BYTES : 2
    if (last + size > piece.length) return start + last
  }
  let cut = limit
  while (((bytes[cut] as number) & 0xc0) === 0x80) cut -= 1
  return cut
}
