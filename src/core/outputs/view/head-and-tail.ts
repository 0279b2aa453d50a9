import { CappedLine } from '../query/capped-line.ts'
import { countLineEnds, LINE_END } from '../query/line-ends.ts'

/** The first and the last lines of a stream that arrives in pieces; each line is truncated. */
export class LineHeadAndTail {
  #limits: { head: number; tail: number }
  #head: string[] = []
  #tail: CappedLine[] = []
  #open = new CappedLine()
  #lineEnds = 0
  #bytes = 0

  constructor(limits: { head: number; tail: number }) {
    this.#limits = limits
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Line feeds plus one; 0 for an empty stream. */
  get lines(): number {
    return this.#bytes === 0 ? 0 : this.#lineEnds + 1
  }

  /** True if the first lines are complete. */
  get hasHead(): boolean {
    return this.#head.length >= this.#limits.head
  }

  push(piece: Buffer): void {
    if (piece.length === 0) return
    this.#bytes += piece.length
    let at = 0
    while (!this.hasHead) {
      const end = piece.indexOf(LINE_END, at)
      if (end === -1) break
      this.#head.push(this.#open.add(piece.subarray(at, end)).text())
      this.#open = new CappedLine()
      this.#lineEnds += 1
      at = end + 1
    }
    this.#pushTail(piece, at)
  }

  /** All lines if they fit; else both ends, and the number of omitted lines between them. */
  end(): { head: string[]; omitted: number; tail: string[] } {
    if (this.#bytes === 0) return { head: [], omitted: 0, tail: [] }
    const { head: first, tail: last } = this.#limits
    const rest = [...this.#tail, this.#open]
    const head = [...this.#head]
    while (head.length < first && rest.length > 0) head.push((rest.shift() as CappedLine).text())
    const tail = rest.slice(Math.max(0, rest.length - last)).map((line) => line.text())
    return { head, omitted: this.lines - head.length - tail.length, tail }
  }

  /** Keeps only the last complete lines and the open one. */
  #pushTail(piece: Buffer, from: number): void {
    const last = piece.lastIndexOf(LINE_END)
    if (last < from) {
      this.#open.add(piece.subarray(from))
      return
    }
    this.#lineEnds += countLineEnds(piece, from)
    const lines: CappedLine[] = []
    for (let end = last; lines.length < this.#limits.tail;) {
      const start = end <= from ? from : Math.max(from, piece.lastIndexOf(LINE_END, end - 1) + 1)
      const isFirst = start === from
      lines.unshift((isFirst ? this.#open : new CappedLine()).add(piece.subarray(start, end)))
      if (isFirst) {
        lines.unshift(...this.#tail)
        break
      }
      end = start - 1
    }
    this.#tail = lines.slice(Math.max(0, lines.length - this.#limits.tail))
    this.#open = new CappedLine().add(piece.subarray(last + 1))
  }
}
