import type { Plain } from '../manifest/manifest.ts'
import { formsOf } from './secret-forms.ts'

const MASK = '[redacted]'
/** Shorter beginnings of a secret turn up by chance. */
const MIN_PIECE = 6
/** What the harness writes where it leaves out the middle or the end of a text. */
const MIDDLE_CUT = '\n…\n'
const END_CUT = ' …'

/** Takes secret values out of what leaves a run, in the encodings that a log may hold. */
export interface Redactor {
  text(value: string): string
  /** For a text that was cut: pieces of values at its cuts are taken out as well. */
  cutText(value: string): string
  value(value: Plain): Plain
  /** For a stream of bytes: a value that is split between chunks is found as well. */
  stream(): RedactingStream
}

export interface RedactingStream {
  push(chunk: Buffer): Buffer
  end(): Buffer
}

/** Searches for the values and for all the forms that they have in logs. */
export function redactorFor(secrets: Iterable<string>): Redactor {
  const needles = new Needles(secrets)
  const text = (value: string) => asBytes(value, (bytes) => needles.clean(bytes))
  return {
    text,
    cutText: (value) => asBytes(value, (bytes) => needles.cleanCuts(needles.clean(bytes))),
    value: (value) => redactValue(value, text),
    stream: () => redactStream(needles),
  }
}

/** What is searched for, its bytes as characters: the same search serves texts and streams of any encoding. */
class Needles {
  readonly #byFirst = new Map<string, string[]>()
  readonly #wrappedByFirst = new Map<string, string[]>()
  readonly #longest: number
  readonly #pattern: RegExp | undefined

  constructor(secrets: Iterable<string>) {
    const all = [...secrets].filter((each) => each !== '').map(formsOf)
    const plain = latin1(all.flatMap((forms) => forms.plain))
    const wrapped = latin1(all.flatMap((forms) => forms.wrapped))
    for (const each of [...plain, ...wrapped]) keep(this.#byFirst, each)
    for (const each of wrapped) keep(this.#wrappedByFirst, each)
    this.#longest = Math.max(0, ...plain.map(lengthOf), ...wrapped.map((each) => each.length * 2))
    const patterns = [
      ...plain.map((each) => ({ length: each.length, source: escape(each) })),
      ...wrapped.map((each) => ({
        length: each.length,
        source: [...each].map(escape).join('(?:\\r?\\n)?'),
      })),
    ].sort((a, b) => b.length - a.length)
    this.#pattern =
      patterns.length === 0
        ? undefined
        : new RegExp(patterns.map(({ source }) => source).join('|'), 'g')
  }

  get isEmpty(): boolean {
    return this.#pattern === undefined
  }

  clean(bytes: string): string {
    return this.#pattern ? bytes.replace(this.#pattern, MASK) : bytes
  }

  /** How many characters at the end may be the beginning of a secret. */
  beginningAtEnd(bytes: string): number {
    for (let size = Math.min(bytes.length, this.#longest - 1); size > 0; size--) {
      if (this.#isBeginning(bytes.slice(bytes.length - size))) return size
    }
    return 0
  }

  cleanCuts(bytes: string): string {
    if (this.isEmpty) return bytes
    const [middle, end] = latin1([MIDDLE_CUT, END_CUT]) as [string, string]
    const isEnded = bytes.endsWith(end)
    const parts = (isEnded ? bytes.slice(0, -end.length) : bytes).split(middle)
    const cleaned = parts.map((part, at) => {
      const before = this.#withoutBeginning(part)
      return at === 0 ? before : this.#withoutEnding(before)
    })
    return cleaned.join(middle) + (isEnded ? end : '')
  }

  #isBeginning(tail: string): boolean {
    const first = tail[0] as string
    if (this.#byFirst.get(first)?.some((needle) => needle.startsWith(tail))) return true
    if (!this.#wrappedByFirst.has(first) || !tail.includes('\n')) return false
    const flat = tail.replace(/\r?\n/g, '')
    return this.#wrappedByFirst.get(first)?.some((needle) => needle.startsWith(flat)) === true
  }

  #withoutBeginning(bytes: string): string {
    const size = this.beginningAtEnd(bytes)
    return size < MIN_PIECE ? bytes : bytes.slice(0, bytes.length - size) + MASK
  }

  #withoutEnding(bytes: string): string {
    const all = [...this.#byFirst.values()].flat()
    for (let size = Math.min(bytes.length, this.#longest - 1); size >= MIN_PIECE; size--) {
      const head = bytes.slice(0, size)
      if (all.some((needle) => needle.endsWith(head))) return MASK + bytes.slice(size)
    }
    return bytes
  }
}

function redactStream(needles: Needles): RedactingStream {
  let held = ''
  return {
    push(chunk) {
      if (needles.isEmpty) return chunk
      const cleaned = needles.clean(held + chunk.toString('latin1'))
      const at = cleaned.length - needles.beginningAtEnd(cleaned)
      held = cleaned.slice(at)
      return Buffer.from(cleaned.slice(0, at), 'latin1')
    },
    // Whoever was ended in the middle of a secret has said a piece of it.
    end: () => Buffer.from(held.length < MIN_PIECE ? held : MASK, 'latin1'),
  }
}

function redactValue(value: Plain, text: (value: string) => string): Plain {
  if (typeof value === 'string') return text(value)
  if (typeof value === 'number') return text(String(value)) === String(value) ? value : MASK
  if (Array.isArray(value)) return value.map((each) => redactValue(each, text))
  if (value === null || typeof value !== 'object') return value
  // A null prototype keeps "__proto__" an ordinary key.
  const copy = Object.create(null) as { [key: string]: Plain }
  for (const [key, each] of Object.entries(value)) copy[text(key)] = redactValue(each, text)
  return copy
}

function asBytes(value: string, change: (bytes: string) => string): string {
  const before = Buffer.from(value).toString('latin1')
  const after = change(before)
  return after === before ? value : Buffer.from(after, 'latin1').toString()
}

function latin1(texts: readonly string[]): string[] {
  return [...new Set(texts)].map((each) => Buffer.from(each).toString('latin1'))
}

function keep(map: Map<string, string[]>, needle: string): void {
  const first = needle[0] as string
  map.set(first, [...(map.get(first) ?? []), needle])
}

function lengthOf(text: string): number {
  return text.length
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
}
