import type { CappedLine } from './capped-line.ts'
import type { StreamName } from '../store/output-store.ts'
import type { Excerpt } from '../view/output-view.ts'

/**
 * Lines of one excerpt, including context; a longer sequence of matches continues in the next
 * excerpt.
 */
export const MAX_EXCERPT_LINES = 200
/** Characters of all excerpts on a page. An excerpt that starts below the limit may exceed it. */
const MAX_PAGE_CHARACTERS = 256 * 1024

/** End of a page: every line up to here was shown or does not match. */
export interface Cursor {
  stream: StreamName
  afterLine: number
  /**
   * Bytes of the following line that were returned as well; only if that line is longer than a
   * page.
   */
  afterByte?: number | undefined
}

interface ExcerptWindow {
  source: StreamName
  start: number
  /** The last line in the window. */
  end: number
  /** Last line to show after the last match. */
  until: number
  texts: string[]
}

/**
 * One page of matches with their context, in the order in which they are found. Windows that
 * overlap or touch are merged. Matches beyond the page's limits are counted.
 */
export class SearchPage {
  readonly contextLines: number
  readonly needsLineNumbers = false
  #maxExcerpts: number
  #windows: ExcerptWindow[] = []
  #characters = 0
  #matchCount = 0
  #nextCursor: Cursor | undefined

  constructor({ contextLines, maxExcerpts }: { contextLines: number; maxExcerpts: number }) {
    this.contextLines = contextLines
    this.#maxExcerpts = maxExcerpts
  }

  /** Matching lines, including lines without an excerpt. */
  get matchCount(): number {
    return this.#matchCount
  }

  /** Position of the first match that was not shown; undefined if all were shown. */
  get nextCursor(): Cursor | undefined {
    return this.#nextCursor
  }

  get isFull(): boolean {
    return this.#nextCursor !== undefined
  }

  get excerpts(): Excerpt[] {
    return this.#windows.map(({ source, start, end, texts }) => ({
      lineStart: start,
      lineEnd: end,
      content: texts.join('\n'),
      source,
    }))
  }

  /** Counts a matching line that does not fit on the page. */
  countHiddenMatch(): void {
    this.#matchCount += 1
  }

  /** The last shown line of a stream. */
  getLastShownLine(source: StreamName): number {
    const last = this.#windows.at(-1)
    return last?.source === source ? last.end : 0
  }

  /** True if a line is shown as context after a match. */
  needsLine(source: StreamName, line: number): boolean {
    if (this.isFull) return false
    const last = this.#windows.at(-1)
    return last?.source === source && line === last.end + 1 && line <= last.until
  }

  appendContextLine(line: CappedLine): void {
    this.#appendLine(this.#windows.at(-1) as ExcerptWindow, line)
  }

  /** Adds a matching line with the context before it that was not shown yet. */
  addMatch(
    match: { source: StreamName; line: number; shown: number },
    text: CappedLine,
    before: readonly CappedLine[],
  ): void {
    this.#matchCount += 1
    if (this.isFull) return
    const start = match.line - before.length
    const window = this.#findWindow(match.source, start, before.length)
    if (!window) {
      const afterLine = Math.max(match.shown, this.getLastShownLine(match.source))
      this.#nextCursor = { stream: match.source, afterLine }
      return
    }
    for (const each of [...before, text]) this.#appendLine(window, each)
    window.until = match.line + this.contextLines
  }

  /** Window for these lines: the last one if they touch it and fit, else a new one. */
  #findWindow(source: StreamName, start: number, before: number): ExcerptWindow | undefined {
    if (this.#characters >= MAX_PAGE_CHARACTERS) return undefined
    const last = this.#windows.at(-1)
    const touches = last?.source === source && last.end + 1 === start
    if (touches && last.texts.length + before < MAX_EXCERPT_LINES) return last
    if (this.#windows.length >= this.#maxExcerpts) return undefined
    const window = { source, start, end: start - 1, until: 0, texts: [] }
    this.#windows.push(window)
    return window
  }

  #appendLine(window: ExcerptWindow, line: CappedLine): void {
    const text = line.text()
    window.texts.push(text)
    window.end += 1
    this.#characters += text.length + 1
  }
}
