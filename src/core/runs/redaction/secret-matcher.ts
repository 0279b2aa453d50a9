/** Characters of the prefix by which patterns are indexed. */
const PREFIX_LENGTH = 3
const TABLE_SIZE = 1 << 16

/** The lower case of each ASCII letter. */
const FOLDED = Uint8Array.from({ length: 256 }, (_, code) =>
  code >= 65 && code <= 90 ? code + 32 : code,
)

/** A text to find, one character for each byte. */
export interface SecretPattern {
  text: string
  /** True if case is ignored. The text is in lower case then. */
  isFolded: boolean
  /** True if it is also found across line breaks. */
  isWrapped: boolean
}

/** Finds many patterns in one pass: first by a table of prefixes, then by the whole pattern. */
export class SecretMatcher {
  readonly longest: number
  readonly #patternsByPrefix = new Map<number, SecretPattern[]>()
  /** Nearly all positions of a text are ruled out by one look-up. */
  readonly #table = new Uint8Array(TABLE_SIZE)
  readonly #shortPatterns: readonly SecretPattern[]
  /** The prefixes of one and two characters of all patterns, in lower case. */
  readonly #shortPrefixes = new Map<string, SecretPattern[]>()

  constructor(patterns: readonly SecretPattern[]) {
    const sorted = patterns
      .filter(({ text }) => text !== '')
      .sort((a, b) => b.text.length - a.text.length)
    this.longest = sorted[0]?.text.length ?? 0
    this.#shortPatterns = sorted.filter(({ text }) => text.length < PREFIX_LENGTH)
    for (const pattern of sorted) {
      const lower = foldCase(pattern.text)
      for (const size of [1, 2]) addToGroup(this.#shortPrefixes, lower.slice(0, size), pattern)
      if (lower.length < PREFIX_LENGTH) continue
      addToGroup(this.#patternsByPrefix, packPrefix(lower, 0), pattern)
      this.#table[hashPrefix(packPrefix(lower, 0))] = 1
    }
  }

  /**
   * Returns the ranges of all matches: the longest at each position; they may overlap. `onlyWrapped`
   * leaves out patterns that are not found across line breaks.
   */
  find(text: string, { onlyWrapped = false } = {}): [start: number, end: number][] {
    const ranges: [number, number][] = []
    const hasShort = this.#shortPatterns.length > 0 && !onlyWrapped
    const table = this.#table
    const end = hasShort ? text.length : text.length - PREFIX_LENGTH + 1
    let lower: string | undefined
    let packed = packPrefix(text, -1)
    for (let at = 0; at < end; at += 1) {
      packed = ((packed << 8) | (FOLDED[text.charCodeAt(at + 2)] as number)) & 0xff_ff_ff
      if (table[hashPrefix(packed)] === 0 && !hasShort) continue
      lower ??= foldCase(text)
      const pattern = this.#matchAt({ text, lower, at, packed, onlyWrapped })
      if (pattern === undefined) continue
      ranges.push([at, at + pattern.length])
    }
    return ranges
  }

  /** Returns how many characters at the end may be the prefix of a pattern. */
  partialLengthAtEnd(text: string, { onlyWrapped = false } = {}): number {
    const start = Math.max(0, text.length - this.longest + 1)
    const lower = foldCase(text.slice(start))
    for (let at = 0; at < lower.length; at += 1) {
      const rest = lower.length - at
      const candidates =
        rest < PREFIX_LENGTH
          ? this.#shortPrefixes.get(lower.slice(at))
          : this.#table[hashPrefix(packPrefix(lower, at))] === 0
            ? undefined
            : this.#patternsByPrefix.get(packPrefix(lower, at))
      const isPrefix = candidates?.some(
        (pattern) =>
          pattern.text.length > rest &&
          (pattern.isWrapped || !onlyWrapped) &&
          pattern.text.startsWith(pattern.isFolded ? lower.slice(at) : text.slice(start + at)),
      )
      if (isPrefix === true) return rest
    }
    return 0
  }

  #matchAt(place: {
    text: string
    lower: string
    at: number
    packed: number
    onlyWrapped: boolean
  }): string | undefined {
    const { text, lower, at, packed, onlyWrapped } = place
    const matches = (pattern: SecretPattern) =>
      (pattern.isWrapped || !onlyWrapped) &&
      (pattern.isFolded ? lower : text).startsWith(pattern.text, at)
    const long = this.#patternsByPrefix.get(packed)?.find(matches)
    return (long ?? this.#shortPatterns.find(matches))?.text
  }
}

/** Changes ASCII only: other bytes are parts of characters. */
export function foldCase(text: string): string {
  return /[\u0080-\u00ff]/.test(text)
    ? text.replace(/[A-Z]+/g, (each) => each.toLowerCase())
    : text.toLowerCase()
}

function addToGroup<Key>(
  groups: Map<Key, SecretPattern[]>,
  key: Key,
  pattern: SecretPattern,
): void {
  const group = groups.get(key)
  if (group) group.push(pattern)
  else groups.set(key, [pattern])
}

/** Packs three characters in lower case; a position outside of the text counts as zero. */
function packPrefix(text: string, at: number): number {
  const fold = (index: number) => FOLDED[text.charCodeAt(index)] ?? 0
  return (fold(at) << 16) | (fold(at + 1) << 8) | fold(at + 2)
}

function hashPrefix(packed: number): number {
  return (packed ^ (packed >> 7)) & (TABLE_SIZE - 1)
}
