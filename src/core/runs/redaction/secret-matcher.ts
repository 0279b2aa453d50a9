/** Characters of the prefix by which patterns are indexed. */
const PREFIX_LENGTH = 3

/**
 * Finds many patterns in one pass: first by prefix, then by the whole pattern. Each character is
 * one byte.
 */
export class SecretMatcher {
  readonly longest: number
  readonly #patternsByPrefix = new Map<number, string[]>()
  readonly #shortPatterns: readonly string[]
  /** The prefixes of one and two characters of all patterns. */
  readonly #shortPrefixes = new Set<string>()

  constructor(needles: readonly string[]) {
    const sorted = needles.filter((each) => each !== '').sort((a, b) => b.length - a.length)
    this.longest = sorted[0]?.length ?? 0
    this.#shortPatterns = sorted.filter((each) => each.length < PREFIX_LENGTH)
    for (const needle of sorted) {
      for (const size of [1, 2]) this.#shortPrefixes.add(needle.slice(0, size))
      if (needle.length < PREFIX_LENGTH) continue
      const start = packPrefix(needle, 0)
      const others = this.#patternsByPrefix.get(start)
      if (others) others.push(needle)
      else this.#patternsByPrefix.set(start, [needle])
    }
  }

  /** Returns the ranges of all matches: leftmost, then longest, without overlaps. */
  find(text: string): [start: number, end: number][] {
    const found: [number, number][] = []
    for (let at = 0; at < text.length; at++) {
      const needle = this.#matchAt(text, at)
      if (needle === undefined) continue
      found.push([at, at + needle.length])
      at += needle.length - 1
    }
    return found
  }

  /** Returns how many characters at the end may be the prefix of a pattern. */
  partialLengthAtEnd(text: string): number {
    for (let at = Math.max(0, text.length - this.longest + 1); at < text.length; at++) {
      const size = text.length - at
      const begins =
        size < PREFIX_LENGTH
          ? this.#shortPrefixes.has(text.slice(at))
          : this.#patternsByPrefix
              .get(packPrefix(text, at))
              ?.some((needle) => needle.length > size && needle.startsWith(text.slice(at)))
      if (begins) return size
    }
    return 0
  }

  #matchAt(text: string, at: number): string | undefined {
    const long =
      at + PREFIX_LENGTH <= text.length
        ? this.#patternsByPrefix
            .get(packPrefix(text, at))
            ?.find((needle) => text.startsWith(needle, at))
        : undefined
    if (long !== undefined || this.#shortPatterns.length === 0) return long
    return this.#shortPatterns.find((needle) => text.startsWith(needle, at))
  }
}

function packPrefix(text: string, at: number): number {
  return (text.charCodeAt(at) << 16) | (text.charCodeAt(at + 1) << 8) | text.charCodeAt(at + 2)
}
