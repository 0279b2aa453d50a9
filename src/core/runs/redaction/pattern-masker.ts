import type { RegexScanner } from '../../../util/linear-regex/regex-scanner.ts'
import { dropInvisible, findPartialInvisible, hasInvisible } from './invisible-text.ts'
import { countSeparate, maskRanges } from './mask-ranges.ts'
import type { RedactionCounts } from './redaction-counts.ts'

/** Bytes that are held back until it is certain whether they match. */
const MAX_HELD_BYTES = 64 * 1024

/** Masks what the patterns match, in bytes that are decoded as latin1. */
export class PatternMasker {
  readonly #scanner: RegexScanner
  readonly #counts: RedactionCounts

  constructor(scanner: RegexScanner, counts: RedactionCounts) {
    this.#scanner = scanner
    this.#counts = counts
  }

  maskText(bytes: string, before?: number): string {
    const ranges = this.#scanner.findAll(bytes, before)
    if (hasInvisible(bytes)) {
      const view = dropInvisible(bytes)
      for (const [start, end] of this.#scanner.findAll(view.text, before))
        ranges.push(view.toOriginalRange(start, end))
      ranges.sort((a, b) => a[0] - b[0])
    }
    this.#counts.patterns += countSeparate(ranges)
    return maskRanges(
      bytes,
      ranges.map((range) => keepPunctuation(bytes, range)),
    )
  }

  stream(): PatternStream {
    return new PatternStream(this, this.#scanner)
  }
}

/** The credentials in a URL are masked, but not the characters around them. */
function keepPunctuation(
  bytes: string,
  [start, end]: readonly [number, number],
): readonly [number, number] {
  const isInUrl = bytes.startsWith('://', start) && bytes[end - 1] === '@'
  return isInUrl ? [start + 3, end - 1] : [start, end]
}

/** Masks bytes that arrive in pieces. Holds back the beginning of a possible match. */
class PatternStream {
  readonly #masker: PatternMasker
  readonly #scanner: RegexScanner
  #held = ''
  /** The byte before those. */
  #before: number | undefined
  /** State of the search after the held bytes, valid in this epoch. */
  #set = 0
  #epoch = 0
  /** True if a match may end in the held bytes. */
  #hasMatch = false

  constructor(masker: PatternMasker, scanner: RegexScanner) {
    this.#masker = masker
    this.#scanner = scanner
    this.#epoch = scanner.search.epoch
  }

  push(bytes: string): string {
    const { search } = this.#scanner
    if (hasInvisible(this.#held) || hasInvisible(bytes)) return this.#pushInvisible(bytes)
    const isKnown = this.#epoch === search.epoch
    const from = isKnown ? this.#held.length : 0
    this.#held += bytes
    const first = isKnown ? this.#set : search.startAfter(this.#before)
    const { set, idleAt, hasMatch } = search.read(this.#held, from, first)
    this.#set = set
    this.#epoch = search.epoch
    this.#hasMatch ||= hasMatch
    if (this.#held.length - idleAt <= MAX_HELD_BYTES) return this.#release(idleAt)
    this.#hasMatch = true
    const clean = this.#release(this.#held.length)
    this.#set = search.startAfter(this.#before)
    this.#epoch = search.epoch
    return clean
  }

  /** Searches all held bytes again, without invisible text. */
  #pushInvisible(bytes: string): string {
    const { search } = this.#scanner
    this.#held += bytes
    this.#hasMatch = true
    const view = dropInvisible(this.#held.slice(0, findPartialInvisible(this.#held)))
    const { set, idleAt } = search.read(view.text, 0, search.startAfter(this.#before))
    this.#set = set
    this.#epoch = search.epoch
    const isEnd = idleAt >= view.text.length
    const idle = isEnd ? this.#held.length : view.toOriginalRange(idleAt, idleAt + 1)[0]
    if (this.#held.length - idle <= MAX_HELD_BYTES) return this.#release(idle)
    const clean = this.#release(this.#held.length)
    this.#set = search.startAfter(this.#before)
    return clean
  }

  end(): string {
    this.#hasMatch = true
    return this.#release(this.#held.length)
  }

  #release(size: number): string {
    if (size === 0) return ''
    const bytes = this.#held.slice(0, size)
    const clean = this.#hasMatch ? this.#masker.maskText(bytes, this.#before) : bytes
    if (this.#held.length === size) this.#hasMatch = false
    const visible = hasInvisible(bytes) ? dropInvisible(bytes).text : bytes
    if (visible !== '') this.#before = visible.charCodeAt(visible.length - 1)
    this.#held = this.#held.slice(size)
    return clean
  }
}
