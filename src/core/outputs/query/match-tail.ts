/** Line numbers of the last matches of a stream; shows none of them. */
export class MatchTail {
  readonly contextLines = 0
  readonly isFull = true
  readonly needsLineNumbers = true
  readonly #most: number
  /** Ring buffer: the last matches, and the one before them. */
  readonly #lines: Float64Array
  #count = 0

  constructor(most: number) {
    this.#most = most
    this.#lines = new Float64Array(most + 1)
  }

  /** Matches before the last ones. */
  get omitted(): number {
    return Math.max(0, this.#count - this.#most)
  }

  needsLine(): boolean {
    return false
  }

  countHiddenMatch(line: number): void {
    this.#lines[this.#count % this.#lines.length] = line
    this.#count += 1
  }

  /**
   * The line after which the last matches are searched, with context that begins after the matches
   * before them; undefined if there are no matches.
   */
  findStart(contextLines: number): number | undefined {
    if (this.#count === 0) return undefined
    const before = this.omitted > 0 ? this.#lineAt(this.omitted - 1) : 0
    return Math.max(before, this.#lineAt(this.omitted) - 1 - contextLines)
  }

  #lineAt(match: number): number {
    return this.#lines[match % this.#lines.length] as number
  }
}
