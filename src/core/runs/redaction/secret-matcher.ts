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

  constructor(patterns: readonly string[]) {
    const sorted = patterns.filter((each) => each !== '').sort((a, b) => b.length - a.length)
    this.longest = sorted[0]?.length ?? 0
    this.#shortPatterns = sorted.filter((each) => each.length < PREFIX_LENGTH)
    for (const pattern of sorted) {
      for (const size of [1, 2]) this.#shortPrefixes.add(pattern.slice(0, size))
      if (pattern.length < PREFIX_LENGTH) continue
      const start = packPrefix(pattern, 0)
      const others = this.#patternsByPrefix.get(start)
      if (others) others.push(pattern)
      else this.#patternsByPrefix.set(start, [pattern])
    }
  }

  /** Returns the ranges of all matches: leftmost, then longest, without overlaps. */
  find(text: string): [start: number, end: number][] {
    const ranges: [number, number][] = []
    for (let at = 0; at < text.length; at++) {
      const pattern = this.#matchAt(text, at)
      if (pattern === undefined) continue
      ranges.push([at, at + pattern.length])
      at += pattern.length - 1
    }
    return ranges
  }

  /** Returns how many characters at the end may be the prefix of a pattern. */
  partialLengthAtEnd(text: string): number {
    for (let at = Math.max(0, text.length - this.longest + 1); at < text.length; at++) {
      const size = text.length - at
      const isPrefix =
        size < PREFIX_LENGTH
          ? this.#shortPrefixes.has(text.slice(at))
          : this.#patternsByPrefix
              .get(packPrefix(text, at))
              ?.some((pattern) => pattern.length > size && pattern.startsWith(text.slice(at)))
      if (isPrefix) return size
    }
    return 0
  }

  #matchAt(text: string, at: number): string | undefined {
    const long =
      at + PREFIX_LENGTH <= text.length
        ? this.#patternsByPrefix
            .get(packPrefix(text, at))
            ?.find((pattern) => text.startsWith(pattern, at))
        : undefined
    if (long !== undefined || this.#shortPatterns.length === 0) return long
    return this.#shortPatterns.find((pattern) => text.startsWith(pattern, at))
  }
}

function packPrefix(text: string, at: number): number {
  return (text.charCodeAt(at) << 16) | (text.charCodeAt(at + 1) << 8) | text.charCodeAt(at + 2)
}
