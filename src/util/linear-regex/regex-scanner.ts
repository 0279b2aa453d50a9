import { Automaton } from './automaton.ts'
import { RegexSyntaxError } from './parse-regex.ts'
import { reverseExpression, type Expression } from './syntax.ts'

/** Bytes after the end of a match that are read to find a longer one. */
const MAX_GAP = 1024

/** Steps per byte of a text for matches that begin before the one that ends first. */
const MAX_EXTRA_STEPS = 8

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
    const scan = { text, byteAt, extraSteps: MAX_EXTRA_STEPS * text.length }
    for (let from = 0; from < text.length;) {
      const found = this.#findEnd(text, from, byteAt(from - 1))
      if (found === undefined) break
      const first = this.#findStart(text, { from, end: found.end, before: byteAt(from - 1) })
      const range = this.#findEarlier(scan, found.idleAt, first) ?? [
        first,
        Math.max(found.end, this.#findLongest(text, first, byteAt(first - 1)).end),
      ]
      ranges.push(range)
      from = range[1]
    }
    return ranges
  }

  /**
   * The first match that begins between two positions, although it ends after another one. Without
   * it, a short match inside of a long one would hide the rest of it. The steps are bounded, because
   * a text could make each position begin a long attempt.
   */
  #findEarlier(
    scan: RegexScan,
    from: number,
    to: number,
  ): [start: number, end: number] | undefined {
    for (let start = from; start < to && scan.extraSteps > 0; start++) {
      const { end, steps } = this.#findLongest(scan.text, start, scan.byteAt(start - 1))
      scan.extraSteps -= steps
      if (end > start) return [start, end]
    }
    return undefined
  }

  #matchesEmpty(before: number | undefined, after: number | undefined): boolean {
    return this.search.matchesBefore(this.search.startAfter(before), after)
  }

  /** End of the match that ends first, and the last position before it at which none had begun. */
  #findEnd(
    text: string,
    from: number,
    before: number | undefined,
  ): { end: number; idleAt: number } | undefined {
    const { search } = this
    let idleAt = from
    let set = search.startAfter(before)
    for (let at = from; at < text.length; at++) {
      const result = search.step(set, text.charCodeAt(at))
      if ((result & 1) === 1) return { end: at, idleAt }
      set = result >> 1
      if (search.isIdle(set)) idleAt = at + 1
    }
    return search.matchesBefore(set, undefined) ? { end: text.length, idleAt } : undefined
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

  /** End of the longest match that begins here, which is its start if there is none. */
  #findLongest(
    text: string,
    start: number,
    before: number | undefined,
  ): { end: number; steps: number } {
    let end = start
    let set = this.#forward.startAfter(before)
    for (let at = start; at < text.length; at++) {
      const result = this.#forward.step(set, text.charCodeAt(at))
      if ((result & 1) === 1) end = at
      set = result >> 1
      const isOver = this.#forward.isDead(set) || (end > start && at - end > MAX_GAP)
      if (isOver) return { end, steps: at + 1 - start }
    }
    if (this.#forward.matchesBefore(set, undefined)) end = text.length
    return { end, steps: text.length - start }
  }
}

/** State of one search through a text. */
interface RegexScan {
  text: string
  byteAt: (at: number) => number | undefined
  /** Steps that are left for matches that begin before the one that ends first. */
  extraSteps: number
}

function readByte(text: string, at: number): number | undefined {
  return at < text.length ? text.charCodeAt(at) : undefined
}
