/** Characters that a search looks at first. */
const START = 3

/** Finds many texts in one pass: by their first characters, then whole. Characters are bytes. */
export class NeedleIndex {
  readonly longest: number
  readonly #byStart = new Map<number, string[]>()
  readonly #short: readonly string[]
  /** What a text of one or two characters may be the beginning of something by. */
  readonly #beginnings = new Set<string>()

  constructor(needles: readonly string[]) {
    const sorted = needles.filter((each) => each !== '').sort((a, b) => b.length - a.length)
    this.longest = sorted[0]?.length ?? 0
    this.#short = sorted.filter((each) => each.length < START)
    for (const needle of sorted) {
      for (const size of [1, 2]) this.#beginnings.add(needle.slice(0, size))
      if (needle.length < START) continue
      const start = startAt(needle, 0)
      const others = this.#byStart.get(start)
      if (others) others.push(needle)
      else this.#byStart.set(start, [needle])
    }
  }

  /** Where they are, the first and longest each; none overlaps another. */
  find(text: string): [start: number, end: number][] {
    const found: [number, number][] = []
    for (let at = 0; at < text.length; at++) {
      const needle = this.#at(text, at)
      if (needle === undefined) continue
      found.push([at, at + needle.length])
      at += needle.length - 1
    }
    return found
  }

  /** How many characters at the end may be the beginning of one. */
  beginningAtEnd(text: string): number {
    for (let at = Math.max(0, text.length - this.longest + 1); at < text.length; at++) {
      const size = text.length - at
      const begins =
        size < START
          ? this.#beginnings.has(text.slice(at))
          : this.#byStart
              .get(startAt(text, at))
              ?.some((needle) => needle.length > size && needle.startsWith(text.slice(at)))
      if (begins) return size
    }
    return 0
  }

  #at(text: string, at: number): string | undefined {
    const long =
      at + START <= text.length
        ? this.#byStart.get(startAt(text, at))?.find((needle) => text.startsWith(needle, at))
        : undefined
    if (long !== undefined || this.#short.length === 0) return long
    return this.#short.find((needle) => text.startsWith(needle, at))
  }
}

function startAt(text: string, at: number): number {
  return (text.charCodeAt(at) << 16) | (text.charCodeAt(at + 1) << 8) | text.charCodeAt(at + 2)
}
