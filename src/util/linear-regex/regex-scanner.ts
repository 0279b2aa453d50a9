import { Automaton } from './automaton.ts'
import { RegexSyntaxError } from './parse-regex.ts'
import { reverseExpression, type Expression } from './syntax.ts'

/** Bytes after the end of a match that are read to find a longer one. */
const MAX_GAP = 1024

/** Neighbours with and without words, before and after an empty match. */
const BORDERS = [undefined, 97].flatMap((before) =>
  [undefined, 97, 32].map((after) => [before, after] as const),
)

/** Finds the ranges of matches in bytes, which are decoded as latin1. */
export class RegexScanner {
  /** Finds the end of a match that begins anywhere. */
  readonly search: Automaton
  readonly expression: Expression
  #lazyBackward: Automaton | undefined
  #lazyForward: Automaton | undefined

  /** Throws if the expression matches the empty text. */
  constructor(expression: Expression) {
    this.expression = expression
    this.search = new Automaton(expression, { isUnanchored: true })
    if (BORDERS.some(([before, after]) => this.#matchesEmpty(before, after))) {
      throw new RegexSyntaxError('it matches the empty text')
    }
  }

  /** Both are needed only if there is a match. */
  get #backward(): Automaton {
    const reversed = () => reverseExpression(this.expression)
    this.#lazyBackward ??= new Automaton(reversed(), { isUnanchored: false })
    return this.#lazyBackward
  }

  get #forward(): Automaton {
    this.#lazyForward ??= new Automaton(this.expression, { isUnanchored: false })
    return this.#lazyForward
  }

  /**
   * Returns the longest match at each position, from left to right, without overlaps. `before` is
   * the byte before the text, if there is one.
   */
  findAll(text: string, before?: number): [start: number, end: number][] {
    const ranges: [number, number][] = []
    const byteAt = (at: number) => (at < 0 ? before : readByte(text, at))
    for (let from = 0; from < text.length;) {
      const first = this.#findEnd(text, from, byteAt(from - 1))
      if (first === undefined) break
      const start = this.#findStart(text, { from, end: first, before: byteAt(from - 1) })
      const end = Math.max(first, this.#findLongest(text, start, byteAt(start - 1)))
      ranges.push([start, end])
      from = end
    }
    return ranges
  }

  #matchesEmpty(before: number | undefined, after: number | undefined): boolean {
    return this.search.matchesBefore(this.search.startAfter(before), after)
  }

  /** End of the match that ends first. */
  #findEnd(text: string, from: number, before: number | undefined): number | undefined {
    const { search } = this
    let set = search.startAfter(before)
    for (let at = from; at < text.length; at++) {
      const result = search.step(set, text.charCodeAt(at))
      if ((result & 1) === 1) return at
      set = result >> 1
    }
    return search.matchesBefore(set, undefined) ? text.length : undefined
  }

  /** Start of the longest match with this end. */
  #findStart(
    text: string,
    { from, end, before }: { from: number; end: number; before: number | undefined },
  ): number {
    let start = end
    let set = this.#backward.startAfter(readByte(text, end))
    for (let at = end - 1; at >= from; at--) {
      const result = this.#backward.step(set, text.charCodeAt(at))
      if ((result & 1) === 1) start = at + 1
      set = result >> 1
      if (this.#backward.isDead(set)) return start
    }
    return this.#backward.matchesBefore(set, before) ? from : start
  }

  #findLongest(text: string, start: number, before: number | undefined): number {
    let end = start
    let set = this.#forward.startAfter(before)
    for (let at = start; at < text.length; at++) {
      const result = this.#forward.step(set, text.charCodeAt(at))
      if ((result & 1) === 1) end = at
      set = result >> 1
      if (this.#forward.isDead(set) || (end > start && at - end > MAX_GAP)) return end
    }
    return this.#forward.matchesBefore(set, undefined) ? text.length : end
  }
}

function readByte(text: string, at: number): number | undefined {
  return at < text.length ? text.charCodeAt(at) : undefined
}
