import { StringDecoder } from 'node:string_decoder'
import { listNames } from './list-names.ts'
import type { Steps } from './run-in-slices.ts'
import { PIECE_CHARS, splitText } from './split-text.ts'

/** Changes texts before they are written, such as a redactor. */
export interface TextFilter {
  /** Filters a short text or another value that is neither an object nor an array. */
  value(value: string | number | boolean | null): unknown
  /** Filters a long text in pieces. */
  stream(): { push(chunk: Buffer): Buffer; end(): Buffer }
}

/** Receives bytes of UTF-8. */
type ByteSink = (bytes: Buffer) => void

const VALUES_PER_YIELD = 64

/** Writes the text of `JSON.stringify` in short steps. Long texts are filtered in pieces. */
export function* writeJson(value: unknown, sink: ByteSink, filter?: TextFilter): Steps<void> {
  const writer = new PieceWriter(sink, filter)
  yield* writer.writeValue(value, '')
  writer.flush()
}

/** Writes a text in short steps. */
export function* writeText(text: string, sink: ByteSink, filter?: TextFilter): Steps<void> {
  if (filter && text.length <= PIECE_CHARS) return sink(Buffer.from(String(filter.value(text))))
  for (const piece of filterPieces(text, filter)) {
    sink(Buffer.from(piece))
    yield
  }
}

class PieceWriter {
  readonly #sink: ByteSink
  readonly #filter: TextFilter | undefined
  #pending = ''
  #values = 0
  /** True if as much as a piece was written since the last value. */
  #hasWritten = false

  constructor(sink: ByteSink, filter: TextFilter | undefined) {
    this.#sink = sink
    this.#filter = filter
  }

  *writeValue(raw: unknown, key: string): Steps<void> {
    if (++this.#values % VALUES_PER_YIELD === 0 || this.#hasWritten) {
      this.#hasWritten = false
      yield
    }
    const value = hasToJson(raw) ? raw.toJSON(key) : raw
    if (typeof value === 'string') yield* this.#writeString(value)
    else if (Array.isArray(value)) yield* this.#writeArray(value)
    else if (typeof value === 'object' && value !== null) {
      yield* this.#writeObject(value as Readonly<Record<string, unknown>>)
    } else this.#append(this.#renderScalar(value as number | boolean | null))
  }

  flush(): void {
    if (this.#pending !== '') this.#sink(Buffer.from(this.#pending))
    this.#pending = ''
    this.#hasWritten = true
  }

  *#writeArray(values: readonly unknown[]): Steps<void> {
    let before = '['
    for (const [index, each] of values.entries()) {
      this.#append(before)
      yield* this.writeValue(each, String(index))
      before = ','
    }
    this.#append(before === '[' ? '[]' : ']')
  }

  *#writeObject(values: Readonly<Record<string, unknown>>): Steps<void> {
    let before = '{'
    for (const key of yield* listNames(values)) {
      const value = values[key]
      if (!isSerializable(value)) continue
      this.#append(before)
      yield* this.#writeString(key)
      this.#append(':')
      yield* this.writeValue(value, key)
      before = ','
    }
    this.#append(before === '{' ? '{}' : '}')
  }

  *#writeString(text: string): Steps<void> {
    if (text.length <= PIECE_CHARS) return this.#append(this.#renderScalar(text))
    this.#append('"')
    for (const piece of filterPieces(text, this.#filter)) {
      this.#append(JSON.stringify(piece).slice(1, -1))
      yield
    }
    this.#append('"')
  }

  #renderScalar(value: string | number | boolean | null): string {
    return JSON.stringify(this.#filter ? this.#filter.value(value) : value) ?? 'null'
  }

  #append(text: string): void {
    this.#pending += text
    if (this.#pending.length >= PIECE_CHARS) this.flush()
  }
}

function hasToJson(value: unknown): value is { toJSON(key: string): unknown } {
  return typeof (value as { toJSON?: unknown } | null | undefined)?.toJSON === 'function'
}

/** `JSON.stringify` omits other members. */
function isSerializable(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol'
}

/** Splits a text into pieces that contain whole characters, and filters them. */
function* filterPieces(text: string, filter: TextFilter | undefined): Generator<string> {
  if (!filter) return yield* splitText(text)
  const stream = filter.stream()
  const decoder = new StringDecoder('utf8')
  for (const piece of splitText(text)) yield decoder.write(stream.push(Buffer.from(piece)))
  yield decoder.write(stream.end()) + decoder.end()
}
