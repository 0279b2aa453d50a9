import type { Plain } from '../../skills/manifest/manifest.ts'
import { SecretMatcher } from './secret-matcher.ts'
import { listSecretForms } from './secret-forms.ts'

const MASK = '[redacted]'
/** Shorter prefixes of a secret match by chance. */
const MIN_PARTIAL = 6
/** The markers of the harness for a text whose middle or end was cut. */
const MIDDLE_CUT = '\n…\n'
const END_CUT = ' …'
/** Line breaks, also as Python and JSON escape them. */
const LINE_BREAK = /\n|\\n/
const LINE_BREAKS = /\r?\n|(?:\\r)?\\n/g
/** An incomplete line break at the end of the bytes so far. */
const PARTIAL_BREAK = /(?:\r|\\|\\r|\\r\\)$/

/** Redacts secret values in the output of a run, in the encodings that logs contain. */
export interface Redactor {
  /** False if everything is returned unchanged. */
  readonly hasSecrets: boolean
  text(value: string): string
  /** Redacts a truncated text: partial values at its cuts are masked too. */
  cutText(value: string): string
  value(value: Plain): Plain
  /** Redacts a stream of bytes: a value that is split between chunks is masked too. */
  stream(): RedactingStream
}

export interface RedactingStream {
  push(chunk: Buffer): Buffer
  end(): Buffer
}

const returnUnchanged = (value: string): string => value
const EMPTY = Buffer.alloc(0)

/** For runs without secrets: returns everything unchanged; values are copied. */
const PASSTHROUGH_REDACTOR: Redactor = {
  hasSecrets: false,
  text: returnUnchanged,
  cutText: returnUnchanged,
  value: (value) => redactValue(value, returnUnchanged),
  stream: () => ({ push: (chunk) => chunk, end: () => EMPTY }),
}

/** Creates a redactor for the values in all their encodings. */
export function createRedactor(secrets: Iterable<string>): Redactor {
  const values = [...secrets].filter((each) => each !== '')
  if (values.length === 0) return PASSTHROUGH_REDACTOR
  const masker = new SecretMasker(values)
  const text = (value: string) => transformBytes(value, (bytes) => masker.maskText(bytes))
  return {
    hasSecrets: true,
    text,
    cutText: (value) => transformBytes(value, (bytes) => masker.maskCuts(masker.maskText(bytes))),
    value: (value) => redactValue(value, text),
    stream: () => createRedactingStream(masker),
  }
}

/**
 * Masks patterns in bytes that are decoded as latin1, so that one matcher serves texts and streams
 * of any encoding.
 */
class SecretMasker {
  readonly #allMatcher: SecretMatcher
  /** Patterns that may be wrapped into lines. */
  readonly #wrappedMatcher: SecretMatcher
  /** Patterns for the matcher that searches backwards. */
  readonly #patterns: readonly string[]
  #reversedMatcher: SecretMatcher | undefined

  constructor(secrets: readonly string[]) {
    const forms = secrets.map(listSecretForms)
    const wrapped = toLatin1(forms.flatMap((each) => each.wrapped))
    const all = toLatin1(forms.flatMap((each) => [...each.plain, ...each.wrapped]))
    this.#allMatcher = new SecretMatcher(all)
    this.#wrappedMatcher = new SecretMatcher(wrapped)
    this.#patterns = all
  }

  maskText(bytes: string): string {
    const ranges = this.#allMatcher.find(bytes)
    if (LINE_BREAK.test(bytes)) {
      const flat = joinLines(bytes)
      for (const [start, end] of this.#wrappedMatcher.find(flat.text)) {
        ranges.push([flat.toOriginalIndex(start), flat.toOriginalIndex(end - 1) + 1])
      }
      ranges.sort((a, b) => a[0] - b[0])
    }
    return maskRanges(bytes, ranges)
  }

  /** Returns how many characters at the end may be the prefix of a secret. */
  partialLengthAtEnd(bytes: string): number {
    const size = this.#allMatcher.partialLengthAtEnd(bytes)
    const tail = bytes.slice(-2 * this.#wrappedMatcher.longest)
    const partialBreak = PARTIAL_BREAK.exec(tail)
    if (!partialBreak && !LINE_BREAK.test(tail)) return size
    const flat = joinLines(tail.slice(0, partialBreak?.index))
    const flatSize = this.#wrappedMatcher.partialLengthAtEnd(flat.text)
    const wrapped =
      flatSize === 0 ? 0 : tail.length - flat.toOriginalIndex(flat.text.length - flatSize)
    return Math.max(size, wrapped)
  }

  maskCuts(bytes: string): string {
    const [middle, end] = toLatin1([MIDDLE_CUT, END_CUT]) as [string, string]
    const isEnded = bytes.endsWith(end)
    const parts = (isEnded ? bytes.slice(0, -end.length) : bytes).split(middle)
    const cleaned = parts.map((part, at) => {
      const before = this.#maskPartAtEnd(part)
      return at === 0 ? before : this.#maskPartAtStart(before)
    })
    return cleaned.join(middle) + (isEnded ? end : '')
  }

  #maskPartAtEnd(bytes: string): string {
    const size = this.partialLengthAtEnd(bytes)
    return size < MIN_PARTIAL ? bytes : bytes.slice(0, bytes.length - size) + MASK
  }

  #maskPartAtStart(bytes: string): string {
    this.#reversedMatcher ??= new SecretMatcher(this.#patterns.map(reverseText))
    const index = this.#reversedMatcher
    const size = index.partialLengthAtEnd(reverseText(bytes.slice(0, index.longest)))
    return size < MIN_PARTIAL ? bytes : MASK + bytes.slice(size)
  }
}

/** Removes line breaks; `toOriginalIndex` maps an index back to the original text. */
function joinLines(bytes: string): { text: string; toOriginalIndex: (at: number) => number } {
  const breaks: { at: number; moved: number }[] = []
  let moved = 0
  const text = bytes.replace(LINE_BREAKS, (each, at: number) => {
    breaks.push({ at: at - moved, moved: moved + each.length })
    moved += each.length
    return ''
  })
  const toOriginalIndex = (index: number) => {
    let [low, high] = [0, breaks.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((breaks[middle]?.at ?? 0) <= index) low = middle + 1
      else high = middle
    }
    return index + (breaks[low - 1]?.moved ?? 0)
  }
  return { text, toOriginalIndex }
}

/** Masks ranges, sorted by start. Overlapping ranges are merged. */
function maskRanges(bytes: string, ranges: readonly [number, number][]): string {
  let clean = ''
  let done = 0
  for (const [start, end] of ranges) {
    if (start >= done) clean += bytes.slice(done, start) + MASK
    done = Math.max(done, end)
  }
  return clean + bytes.slice(done)
}

function reverseText(text: string): string {
  return [...text].toReversed().join('')
}

function createRedactingStream(masker: SecretMasker): RedactingStream {
  let pending = ''
  return {
    push(chunk) {
      const cleaned = masker.maskText(pending + chunk.toString('latin1'))
      const at = cleaned.length - masker.partialLengthAtEnd(cleaned)
      pending = cleaned.slice(at)
      return Buffer.from(cleaned.slice(0, at), 'latin1')
    },
    // A process that ended in the middle of a secret has printed a part of it.
    end: () => Buffer.from(pending.length < MIN_PARTIAL ? pending : MASK, 'latin1'),
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

function transformBytes(value: string, change: (bytes: string) => string): string {
  const before = Buffer.from(value).toString('latin1')
  const after = change(before)
  return after === before ? value : Buffer.from(after, 'latin1').toString()
}

function toLatin1(texts: readonly string[]): string[] {
  return [...new Set(texts)].map((each) => Buffer.from(each).toString('latin1'))
}
