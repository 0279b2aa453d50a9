const MAX_LINES = 20_000
const MAX_CHARACTERS = 1024 ** 2
/** A longer line is split and counted as several. */
const MAX_LINE = 64 * 1024

/** Lines for a reader, with their position in the complete output. */
interface LinesRead {
  output: string
  /** Number of the first line, counted from 0 over the program's whole output. */
  offset: number
  /** Number of the next line, or of the line that continues. */
  nextOffset: number
}

/**
 * Lines of a running program; the oldest are dropped. A single reader receives each character once;
 * if lines were dropped before they were read, the offset skips them.
 */
export class LineBuffer {
  /** Each with its line end, unless it was split. */
  #lines: string[] = []
  #first = 0
  #characters = 0
  /** The incomplete last line. */
  #open = ''
  #cursor = { line: 0, column: 0 }

  add(text: string): void {
    const parts = (this.#open + text).split('\n')
    this.#open = parts.pop() ?? ''
    for (const part of parts) this.#push(`${part}\n`)
    while (this.#open.length > MAX_LINE) {
      const end = isHighSurrogate(this.#open.charCodeAt(MAX_LINE - 1)) ? MAX_LINE - 1 : MAX_LINE
      this.#push(this.#open.slice(0, end))
      this.#open = this.#open.slice(end)
    }
    this.#drop()
  }

  get hasUnread(): boolean {
    const { line, column } = this.#cursor
    return line < this.#end || column < this.#visibleOpenLine(false).length
  }

  /**
   * Reads at most `maxLines` lines after the last read position; `isRaw` keeps the line ends of
   * terminals.
   */
  read(maxLines: number, isRaw = false): LinesRead {
    const offset = Math.max(this.#cursor.line, this.#first)
    const column = offset > this.#cursor.line ? 0 : this.#cursor.column
    const last = Math.min(offset + maxLines, this.#end)
    const lines = this.#lines.slice(offset - this.#first, last - this.#first)
    const isAtEnd = last === this.#end && lines.length < maxLines
    const open = isAtEnd ? this.#visibleOpenLine(isRaw) : ''
    const text = [...lines, open].join('').slice(column)
    this.#cursor = {
      line: last,
      column: isAtEnd ? open.length : last === offset ? column : 0,
    }
    const output = isRaw ? text : text.replaceAll('\r\n', '\n')
    return { output, offset, nextOffset: last }
  }

  /** The last lines, read or not. */
  tail(count: number): string[] {
    return [...this.#lines.slice(-count).map((line) => line.trimEnd()), this.#open]
  }

  get #end(): number {
    return this.#first + this.#lines.length
  }

  /**
   * A trailing carriage return is withheld: the next character decides if it is part of a line end.
   */
  #visibleOpenLine(isRaw: boolean): string {
    return !isRaw && this.#open.endsWith('\r') ? this.#open.slice(0, -1) : this.#open
  }

  #push(line: string): void {
    this.#lines.push(line)
    this.#characters += line.length
  }

  /** Drops lines in one splice: removing them one by one would move the rest each time. */
  #drop(): void {
    let dropped = 0
    while (this.#lines.length - dropped > MAX_LINES || this.#characters > MAX_CHARACTERS) {
      this.#characters -= this.#lines[dropped]?.length ?? 0
      dropped += 1
    }
    if (dropped === 0) return
    this.#lines.splice(0, dropped)
    this.#first += dropped
  }
}

/** True for the first code unit of a surrogate pair. */
function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}
