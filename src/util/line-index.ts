/** Line and column from 1; columns count UTF-16 units, as in editor protocols. */
export interface TextPosition {
  line: number
  column: number
}

/** Finds lines in a text, splitting it only once. */
export class LineIndex {
  readonly #starts: number[] = [0]
  readonly text: string

  constructor(text: string) {
    this.text = text
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
      this.#starts.push(at + 1)
    }
  }

  get lineCount(): number {
    return this.#starts.length
  }

  positionAt(offset: number): TextPosition {
    const at = Math.max(0, Math.min(offset, this.text.length))
    let low = 0
    let high = this.#starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#starts[middle] as number) <= at) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: at - (this.#starts[low] as number) + 1 }
  }

  /** Offset of a line's first character. */
  getLineStart(line: number): number {
    return this.#starts[line - 1] ?? this.text.length
  }

  /** Text of a line without its line break. */
  getLine(line: number): string {
    return this.text
      .slice(this.getLineStart(line), this.getLineStart(line + 1))
      .replace(/\r?\n$/, '')
  }
}
