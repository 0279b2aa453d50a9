const MAX_LINES = 20_000
const MAX_CHARACTERS = 1024 ** 2
/** A line that is longer is counted as several. */
const MAX_LINE = 64 * 1024

/** What a reader gets, and where it lies in all that was printed. */
export interface LinesRead {
  output: string
  /** Number of its first line, counted from 0 over the whole life. */
  offset: number
  /** Number of the line that comes next, or goes on. */
  nextOffset: number
}

/**
 * Lines of a running program, the oldest dropped. One reader sees each character once; where lines
 * were dropped before it came, the offset says so.
 */
export class LineBuffer {
  #lines: string[] = []
  #first = 0
  #characters = 0
  /** The line that is not ended yet. */
  #open = ''
  #cursor = { line: 0, column: 0 }

  add(text: string): void {
    const parts = (this.#open + text).split('\n')
    this.#open = parts.pop() ?? ''
    for (const part of parts) this.#push(part.endsWith('\r') ? part.slice(0, -1) : part)
    while (this.#open.length > MAX_LINE) {
      this.#push(this.#open.slice(0, MAX_LINE))
      this.#open = this.#open.slice(MAX_LINE)
    }
    while (this.#lines.length > MAX_LINES || this.#characters > MAX_CHARACTERS) {
      this.#characters -= this.#lines.shift()?.length ?? 0
      this.#first += 1
    }
  }

  get hasNews(): boolean {
    const { line, column } = this.#cursor
    return line < this.#end || column < this.#open.length
  }

  /** At most so many lines from where the reader stopped. */
  read(maxLines: number): LinesRead {
    const offset = Math.max(this.#cursor.line, this.#first)
    const column = offset > this.#cursor.line ? 0 : this.#cursor.column
    const last = Math.min(offset + maxLines, this.#end)
    const lines = this.#lines.slice(offset - this.#first, last - this.#first)
    const isAtEnd = last === this.#end && lines.length < maxLines
    const all = [...lines.map((line) => `${line}\n`), isAtEnd ? this.#open : '']
    const output = all.join('').slice(column)
    this.#cursor = {
      line: last,
      column: isAtEnd ? this.#open.length : last === offset ? column : 0,
    }
    return { output, offset, nextOffset: last }
  }

  /** The last lines, whether they were read or not. */
  tail(count: number): string[] {
    return [...this.#lines.slice(-count), this.#open]
  }

  get #end(): number {
    return this.#first + this.#lines.length
  }

  #push(line: string): void {
    this.#lines.push(line)
    this.#characters += line.length
  }
}
