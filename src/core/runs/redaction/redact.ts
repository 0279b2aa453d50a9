import { reverseText } from '../../../util/text/characters.ts'
import type { Plain } from '../../skills/manifest/manifest.ts'
import { SecretMatcher, type SecretPattern } from './secret-matcher.ts'
import { listPlainPatterns, listSecretPatterns } from './secret-forms.ts'
import {
  decodeEscapes,
  ESCAPE_STYLES,
  findPartialEscape,
  joinLines,
  MAX_ESCAPE,
  type EscapeStyle,
  type TextView,
} from './text-views.ts'
import {
  dropInvisible,
  findPartialInvisible,
  hasInvisible,
  MAX_INVISIBLE,
} from './invisible-text.ts'
import { countSeparate, MASK, maskRanges } from './mask-ranges.ts'
import { PatternMasker } from './pattern-masker.ts'
import type { RedactionCounts } from './redaction-counts.ts'
import type { RegexScanner } from '../../../util/linear-regex/regex-scanner.ts'

/** Shorter prefixes of a secret match by chance. */
const MIN_PARTIAL = 6
/** The markers of the harness for a text whose middle or end was cut. */
const MIDDLE_CUT = '\n…\n'
const END_CUT = ' …'
/** Line breaks, also as Python and JSON escape them. */
const LINE_BREAK = /\n|\\n/
/** An incomplete line break at the end of the bytes so far. */
const PARTIAL_BREAK = /(?:\r|\\|\\r|\\r\\)$/

/** Redacts secret values in the output of a run, in the encodings that logs contain. */
export interface Redactor {
  /** False if no value is masked. Patterns apply to text only. */
  readonly hasSecrets: boolean
  /** Masked texts so far. */
  readonly counts: Readonly<RedactionCounts>
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
const WRAPPED = { onlyWrapped: true }

const NOTHING_MASKED: Readonly<RedactionCounts> = { secrets: 0, patterns: 0 }

/** For runs without secrets: returns everything unchanged; values are copied. */
const PASSTHROUGH_REDACTOR: Redactor = {
  hasSecrets: false,
  counts: NOTHING_MASKED,
  text: returnUnchanged,
  cutText: returnUnchanged,
  value: (value) => redactValue(value, returnUnchanged),
  stream: () => ({ push: (chunk) => chunk, end: () => EMPTY }),
}

/**
 * Creates a redactor for the values in all their encodings, and for what the patterns match.
 * Returned values are data: patterns do not change them.
 */
export function createRedactor(secrets: Iterable<string>, patterns?: RegexScanner): Redactor {
  const own = createSecretRedactor(secrets)
  if (!patterns) return own
  const counts: RedactionCounts = { secrets: 0, patterns: 0 }
  const masker = new PatternMasker(patterns, counts)
  const mask = (text: string) => transformBytes(text, (bytes) => masker.maskText(bytes))
  return {
    ...own,
    get counts() {
      return { ...counts, secrets: own.counts.secrets }
    },
    text: (value) => mask(own.text(value)),
    cutText: (value) => mask(own.cutText(value)),
    stream() {
      const [first, second] = [own.stream(), masker.stream()]
      const pass = (bytes: Buffer) => second.push(bytes.toString('latin1'))
      return {
        push: (chunk) => Buffer.from(pass(first.push(chunk)), 'latin1'),
        end: () => Buffer.from(pass(first.end()) + second.end(), 'latin1'),
      }
    },
  }
}

function createSecretRedactor(secrets: Iterable<string>): Redactor {
  const values = [...secrets].filter((each) => each !== '')
  if (values.length === 0) return PASSTHROUGH_REDACTOR
  const counts: RedactionCounts = { secrets: 0, patterns: 0 }
  const masker = new SecretMasker(values, counts)
  const text = (value: string) => transformBytes(value, (bytes) => masker.maskText(bytes))
  return {
    hasSecrets: true,
    counts,
    text,
    cutText: (value) => transformBytes(value, (bytes) => masker.maskCuts(masker.maskText(bytes))),
    value: (value) => redactValue(value, text),
    stream: () => createRedactingStream(masker),
  }
}

/** Bytes at the end of a text that may be the beginning of a secret. */
interface PartialSecret {
  size: number
  /** False if they may be only the beginning of an escaped character. */
  isSecret: boolean
}

/**
 * Masks patterns in bytes that are decoded as latin1, so that one matcher serves texts and streams
 * of any encoding.
 */
class SecretMasker {
  readonly #matcher: SecretMatcher
  readonly #plainMatcher: SecretMatcher
  readonly #isAllWrapped: boolean
  readonly #patterns: readonly SecretPattern[]
  /** Searches backwards. */
  #reversedMatcher: SecretMatcher | undefined

  readonly #counts: RedactionCounts

  constructor(secrets: readonly string[], counts: RedactionCounts) {
    this.#counts = counts
    this.#patterns = secrets.flatMap(listSecretPatterns)
    this.#matcher = new SecretMatcher(this.#patterns)
    this.#isAllWrapped = this.#patterns.every(
      ({ text, isWrapped }) => isWrapped && !LINE_BREAK.test(text),
    )
    this.#plainMatcher = new SecretMatcher(secrets.flatMap(listPlainPatterns))
  }

  maskText(bytes: string): string {
    const ranges = this.#findRanges(bytes)
    if (hasInvisible(bytes)) {
      const view = dropInvisible(bytes)
      for (const [start, end] of this.#findRanges(view.text))
        ranges.push(view.toOriginalRange(start, end))
    }
    ranges.sort((a, b) => a[0] - b[0])
    this.#counts.secrets += countSeparate(ranges)
    return maskRanges(bytes, ranges)
  }

  #findRanges(bytes: string): [start: number, end: number][] {
    const hasBreaks = LINE_BREAK.test(bytes)
    // Without line breaks, the same patterns are found, and more.
    const ranges = hasBreaks && this.#isAllWrapped ? [] : this.#matcher.find(bytes)
    const addRanges = (view: TextView, found: readonly [number, number][]) => {
      for (const [start, end] of found) ranges.push(view.toOriginalRange(start, end))
    }
    if (hasBreaks) {
      const joined = joinLines(bytes)
      addRanges(joined, this.#matcher.find(joined.text, WRAPPED))
    }
    for (const style of ESCAPE_STYLES) {
      if (!bytes.includes(style.mark)) continue
      const decoded = decodeEscapes(bytes, style)
      addRanges(decoded, this.#plainMatcher.find(decoded.text))
    }
    return ranges
  }

  /** Finds the longest end that may be the prefix of a secret. */
  findPartial(bytes: string): PartialSecret {
    const found = this.#findVisiblePartial(bytes)
    const tail = bytes.slice(-2 * this.#matcher.longest - MAX_INVISIBLE)
    const end = findPartialInvisible(tail)
    if (end === tail.length && !hasInvisible(tail)) return found
    const view = dropInvisible(tail.slice(0, end))
    const { size, isSecret } = this.#findVisiblePartial(view.text)
    return {
      size: Math.max(found.size, measureInView(view, tail, size)),
      isSecret: found.isSecret || isSecret,
    }
  }

  #findVisiblePartial(bytes: string): PartialSecret {
    const size = this.#matcher.partialLengthAtEnd(bytes)
    const wrapped = this.#measureWrappedPartial(bytes)
    let longest = { size: Math.max(size, wrapped), matched: Math.max(size, wrapped) }
    const tail = bytes.slice(-MAX_ESCAPE * this.#plainMatcher.longest)
    for (const style of ESCAPE_STYLES) {
      if (!tail.includes(style.mark)) continue
      const escaped = this.#measureEscapedPartial(tail, style)
      longest = {
        size: Math.max(longest.size, escaped.size),
        matched: Math.max(longest.matched, escaped.matched),
      }
    }
    return { size: longest.size, isSecret: longest.matched >= MIN_PARTIAL }
  }

  #measureWrappedPartial(bytes: string): number {
    const tail = bytes.slice(-2 * this.#matcher.longest)
    const partialBreak = PARTIAL_BREAK.exec(tail)
    if (!partialBreak && !LINE_BREAK.test(tail)) return 0
    const flat = joinLines(tail.slice(0, partialBreak?.index))
    return measureInView(flat, tail, this.#matcher.partialLengthAtEnd(flat.text, WRAPPED))
  }

  #measureEscapedPartial(tail: string, style: EscapeStyle): { size: number; matched: number } {
    const end = findPartialEscape(tail, style)
    const decoded = decodeEscapes(tail.slice(0, end), style)
    const incomplete = end === undefined ? 0 : tail.length - end
    const matched = this.#plainMatcher.partialLengthAtEnd(decoded.text)
    return { size: Math.max(incomplete, measureInView(decoded, tail, matched)), matched }
  }

  maskCuts(bytes: string): string {
    const [middle, end] = [toLatin1(MIDDLE_CUT), toLatin1(END_CUT)]
    const isEnded = bytes.endsWith(end)
    const parts = (isEnded ? bytes.slice(0, -end.length) : bytes).split(middle)
    const cleaned = parts.map((part, at) => {
      const before = this.#maskPartAtEnd(part)
      return at === 0 ? before : this.#maskPartAtStart(before)
    })
    return cleaned.join(middle) + (isEnded ? end : '')
  }

  #maskPartAtEnd(bytes: string): string {
    const { size, isSecret } = this.findPartial(bytes)
    return isSecret ? bytes.slice(0, bytes.length - size) + MASK : bytes
  }

  #maskPartAtStart(bytes: string): string {
    this.#reversedMatcher ??= new SecretMatcher(
      this.#patterns.map((each) => ({ ...each, text: reverseText(each.text) })),
    )
    const index = this.#reversedMatcher
    const view = dropInvisible(bytes.slice(0, index.longest + MAX_INVISIBLE))
    const size = index.partialLengthAtEnd(reverseText(view.text.slice(0, index.longest)))
    return size < MIN_PARTIAL ? bytes : MASK + bytes.slice(view.toOriginalRange(0, size)[1])
  }
}

/** Length of the original of the last characters of a view. */
function measureInView(view: TextView, original: string, size: number): number {
  if (size === 0) return 0
  const [start] = view.toOriginalRange(view.text.length - size, view.text.length)
  return original.length - start
}

function createRedactingStream(masker: SecretMasker): RedactingStream {
  let pending = ''
  return {
    push(chunk) {
      const cleaned = masker.maskText(pending + chunk.toString('latin1'))
      const at = cleaned.length - masker.findPartial(cleaned).size
      pending = cleaned.slice(at)
      return Buffer.from(cleaned.slice(0, at), 'latin1')
    },
    // A process that ended in the middle of a secret has printed a part of it.
    end: () => Buffer.from(masker.findPartial(pending).isSecret ? MASK : pending, 'latin1'),
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

function toLatin1(text: string): string {
  return Buffer.from(text).toString('latin1')
}
