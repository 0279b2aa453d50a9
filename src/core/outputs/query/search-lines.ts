import { CappedLine } from './capped-line.ts'
import { countLineEnds, LINE_END, skipLineEnds } from './line-ends.ts'
import type { TermMatcher } from './match-terms.ts'
import type { ReadableStream, StreamName } from '../store/output-store.ts'
import { MatchTail } from './match-tail.ts'
import type { SearchPage } from './search-page.ts'

/** Source of the search, and the line after which it starts. */
interface LineSearchOptions {
  source: StreamName
  matcher: TermMatcher
  page: SearchPage | MatchTail
  /** Lines up to this one are skipped. */
  afterLine: number
  /** Line feeds before the first piece. */
  lineEndsBefore: number
}

/** Searches a stream after a line. */
export async function searchStream(
  stream: ReadableStream,
  options: Omit<LineSearchOptions, 'lineEndsBefore'>,
): Promise<void> {
  let lines: LineSearch | undefined
  await stream.read(options.afterLine + 1, ({ bytes, lineEndsBefore, lineEnds }) => {
    lines ??= new LineSearch({ ...options, lineEndsBefore })
    lines.push(bytes, lineEnds)
    return true
  })
  lines?.end()
}

/**
 * Searches one stream that arrives in pieces of any size, in memory that depends on neither their
 * number nor the length of lines. Lines are split only near a match.
 */
export class LineSearch {
  #source: StreamName
  #matcher: TermMatcher
  #page: SearchPage | MatchTail
  #afterLine: number
  /** Line feeds before the next piece. */
  #lineEnds: number
  #isEmpty = true
  /** The last complete lines before the open one that are not shown yet. */
  #recent: CappedLine[] = []
  /** The incomplete line at the end of the input so far. */
  #open = new CappedLine()
  #isOpenMatched = false
  /** End of the open line, in which a match may begin. */
  #carry: Buffer = Buffer.alloc(0)

  constructor({ source, matcher, page, afterLine, lineEndsBefore }: LineSearchOptions) {
    this.#source = source
    this.#matcher = matcher
    this.#page = page
    this.#afterLine = afterLine
    this.#lineEnds = lineEndsBefore
    matcher.restart()
  }

  /** Adds the next piece, whose buffer may be reused afterwards; `lineEnds` if already counted. */
  push(piece: Buffer, lineEnds?: number): void {
    if (piece.length === 0) return
    this.#isEmpty = false
    const before = this.#lineEnds
    const bytes = this.#skipPassedLines(piece)
    if (bytes && this.#page.isFull) this.#countMatches(bytes)
    else if (bytes) this.#searchPiece(bytes)
    this.#lineEnds = before + (lineEnds ?? countLineEnds(piece))
  }

  /** Ends the stream: its last line has no line feed. */
  end(): void {
    if (this.#isEmpty || this.#lineEnds < this.#afterLine) return
    const { matchesAll } = this.#matcher
    const isMatched = this.#isOpenMatched || matchesAll || this.#matcher.matchesAtEnd()
    this.#addLine(this.#lineEnds + 1, this.#open, isMatched)
  }

  /** Rest of a piece after the skipped lines. */
  #skipPassedLines(piece: Buffer): Buffer | undefined {
    const count = this.#afterLine - this.#lineEnds
    if (count <= 0) return piece
    const start = skipLineEnds(piece, count)
    if (start === undefined) return undefined
    this.#lineEnds = this.#afterLine
    return piece.subarray(start)
  }

  #searchPiece(bytes: Buffer): void {
    this.#isOpenMatched ||= this.#matchesAcross(bytes)
    let at = 0
    let line = this.#lineEnds + 1
    let next = this.#findMatch(bytes, 0)
    for (;;) {
      if (this.#isOpenMatched || this.#page.needsLine(this.#source, line)) {
        const end = bytes.indexOf(LINE_END, at)
        if (end === -1) {
          this.#isOpenMatched ||= next !== -1
          break
        }
        const isMatched = this.#isOpenMatched || (next !== -1 && next <= end)
        this.#addLine(line, this.#open.add(bytes.subarray(at, end)), isMatched)
        this.#startLine(bytes, end + 1, end + 1)
        line += 1
        at = end + 1
        if (next !== -1 && next < at) next = this.#findMatch(bytes, at)
      } else if (next === -1) break
      else {
        const start = findLineStart(bytes, at, next)
        line += countLineEnds(bytes, at, start)
        this.#skipLines(bytes, at, start)
        this.#isOpenMatched = true
        at = start
      }
    }
    this.#skipLines(bytes, at, bytes.length)
  }

  /** Counts matching lines without showing them: the page is full. */
  #countMatches(bytes: Buffer): void {
    this.#isOpenMatched ||= this.#matchesAcross(bytes)
    const page = this.#page
    let at = 0
    let line = this.#lineEnds + 1
    let next = this.#isOpenMatched ? 0 : this.#findMatch(bytes, 0)
    while (next !== -1) {
      const end = bytes.indexOf(LINE_END, next)
      if (end === -1) break
      if (page.needsLineNumbers) line += countLineEnds(bytes, at, end)
      page.countHiddenMatch(line)
      at = end + 1
      line += 1
      next = this.#findMatch(bytes, at)
    }
    if (at > 0) this.#startLine(bytes, at, at)
    this.#skipLines(bytes, at, bytes.length)
    this.#isOpenMatched = next !== -1
  }

  #findMatch(bytes: Buffer, from: number): number {
    return this.#matcher.find(bytes, from)
  }

  /** True if a match begins in earlier pieces and ends in this one. */
  #matchesAcross(bytes: Buffer): boolean {
    if (this.#carry.length === 0) return false
    const joined = Buffer.concat([this.#carry, bytes.subarray(0, this.#matcher.longest - 1)])
    const found = this.#findMatch(joined, 0)
    return found !== -1 && found < this.#carry.length
  }

  #addLine(line: number, text: CappedLine, isMatched: boolean): void {
    const page = this.#page
    const source = this.#source
    if (page instanceof MatchTail) {
      if (isMatched) page.countHiddenMatch(line)
    } else if (isMatched)
      page.addMatch({ source, line, shown: this.#afterLine }, text, this.#recent)
    else if (page.needsLine(source, line)) page.appendContextLine(text)
    this.#recent = []
  }

  /** Skips complete lines that are not shown, and the beginning of the next one. */
  #skipLines(bytes: Buffer, from: number, to: number): void {
    const last = to > from ? bytes.lastIndexOf(LINE_END, to - 1) : -1
    if (last < from) {
      if (to > from) this.#continueLine(bytes.subarray(from, to))
      return
    }
    this.#keepContextLines(bytes, from, last)
    this.#startLine(bytes, last + 1, to)
  }

  /** Keeps the last complete lines as context before a match. */
  #keepContextLines(bytes: Buffer, from: number, last: number): void {
    const max = this.#page.isFull ? 0 : this.#page.contextLines
    const lines: CappedLine[] = []
    for (let end = last; lines.length < max;) {
      const start = findLineStart(bytes, from, end)
      const isFirst = start === from
      const line = isFirst ? this.#open : new CappedLine()
      lines.unshift(line.add(bytes.subarray(start, end)))
      if (isFirst) {
        lines.unshift(...this.#recent)
        break
      }
      end = start - 1
    }
    this.#recent = lines.slice(-max || lines.length)
  }

  /** Starts a line with its first bytes. */
  #startLine(bytes: Buffer, from: number, to: number): void {
    this.#open = new CappedLine()
    this.#isOpenMatched = false
    this.#carry = Buffer.alloc(0)
    if (to > from) this.#continueLine(bytes.subarray(from, to))
  }

  #continueLine(piece: Buffer): void {
    this.#open.add(piece)
    const max = this.#matcher.longest - 1
    if (max > 0) this.#carry = Buffer.concat([this.#carry, piece.subarray(-max)]).subarray(-max)
  }
}

/** Start of the line that contains `offset`; at least `from`. */
function findLineStart(bytes: Buffer, from: number, offset: number): number {
  return offset <= from ? from : Math.max(from, bytes.lastIndexOf(LINE_END, offset - 1) + 1)
}
