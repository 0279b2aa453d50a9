import type { AuditLine } from './audit-source.ts'

const NEWLINE = 0x0a

/** Splits the bytes of a log into lines, block by block; a line can continue in the next block. */
export class LogLineSplitter {
  #number = 0
  #rest: Buffer = Buffer.alloc(0)

  /** Returns the lines that end in this block. */
  push(block: Uint8Array): AuditLine[] {
    const all = Buffer.concat([this.#rest, block])
    const lines: AuditLine[] = []
    let start = 0
    for (let end = all.indexOf(NEWLINE); end !== -1; end = all.indexOf(NEWLINE, start)) {
      this.#number += 1
      lines.push({ text: all.toString('utf8', start, end), number: this.#number, isWhole: true })
      start = end + 1
    }
    this.#rest = all.subarray(start)
    return lines
  }

  /** Returns the last line if its terminator is missing. */
  end(): AuditLine[] {
    if (this.#rest.length === 0) return []
    return [{ text: this.#rest.toString('utf8'), number: this.#number + 1, isWhole: false }]
  }
}

type Blocks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/** Yields the lines of blocks in file order. */
export async function* splitLines(blocks: Blocks): AsyncGenerator<readonly AuditLine[]> {
  const splitter = new LogLineSplitter()
  for await (const block of blocks) yield splitter.push(block)
  const last = splitter.end()
  if (last.length > 0) yield last
}

/** Yields the lines of blocks, both newest first. */
export async function* splitLinesBackwards(blocks: Blocks): AsyncGenerator<readonly string[]> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const block of blocks) {
    const all = Buffer.concat([block, rest])
    const batch: string[] = []
    let last = all.length
    for (let at = all.lastIndexOf(NEWLINE); at !== -1; at = findPreviousNewline(all, at)) {
      if (at + 1 < last) batch.push(all.toString('utf8', at + 1, last))
      last = at
    }
    rest = all.subarray(0, last)
    yield batch
  }
  if (rest.length > 0) yield [rest.toString('utf8')]
}

function findPreviousNewline(bytes: Buffer, at: number): number {
  return at === 0 ? -1 : bytes.lastIndexOf(NEWLINE, at - 1)
}
