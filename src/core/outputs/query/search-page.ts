import type { CappedLine } from './capped-line.ts'
import type { StreamName } from '../store/output-store.ts'
import type { Excerpt } from '../view/output-view.ts'

/** Lines of one excerpt, context included; a longer row of matches goes on in the next excerpt. */
export const MAX_EXCERPT_LINES = 200
/** Characters of all excerpts of a page; what begins below may end above it. */
const MAX_PAGE_CHARACTERS = 256 * 1024

/** Where a page ended: everything up to this line was shown or does not match. */
export interface Cursor {
  stream: StreamName
  afterLine: number
  /** Bytes of the line after it that were given as well; only where a line is longer than a page. */
  afterByte?: number | undefined
}

interface ExcerptWindow {
  source: StreamName
  start: number
  /** The last line in it. */
  end: number
  /** Up to here lines follow the last match. */
  until: number
  texts: string[]
}

/**
 * One page of matches with the lines around them, in the order in which they are found. Windows that
 * overlap or touch are one. Matches that the page has no room for are counted.
 */
export class SearchPage {
  readonly contextLines: number
  #maxExcerpts: number
  #windows: ExcerptWindow[] = []
  #characters = 0
  #matchCount = 0
  #nextCursor: Cursor | undefined

  constructor({ contextLines, maxExcerpts }: { contextLines: number; maxExcerpts: number }) {
    this.contextLines = contextLines
    this.#maxExcerpts = maxExcerpts
  }

  /** Lines that match, shown or not. */
  get matchCount(): number {
    return this.#matchCount
  }

  /** The place of the first match that was not shown; undefined where all were. */
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

  /** A line that matches and has no room. */
  countHiddenMatch(): void {
    this.#matchCount += 1
  }

  /** The last line of a stream that was shown. */
  getLastShownLine(source: StreamName): number {
    const last = this.#windows.at(-1)
    return last?.source === source ? last.end : 0
  }

  /** Whether a line is shown because it follows a match. */
  needsLine(source: StreamName, line: number): boolean {
    if (this.isFull) return false
    const last = this.#windows.at(-1)
    return last?.source === source && line === last.end + 1 && line <= last.until
  }

  appendContextLine(line: CappedLine): void {
    this.#appendLine(this.#windows.at(-1) as ExcerptWindow, line)
  }

  /** A line that matches, with those right before it that were not shown. */
  addMatch(
    at: { source: StreamName; line: number; shown: number },
    text: CappedLine,
    before: readonly CappedLine[],
  ): void {
    this.#matchCount += 1
    if (this.isFull) return
    const start = at.line - before.length
    const window = this.#findWindow(at.source, start, before.length)
    if (!window) {
      const afterLine = Math.max(at.shown, this.getLastShownLine(at.source))
      this.#nextCursor = { stream: at.source, afterLine }
      return
    }
    for (const each of [...before, text]) this.#appendLine(window, each)
    window.until = at.line + this.contextLines
  }

  /** The window that these lines go to: the last one where they touch it and fit. */
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
