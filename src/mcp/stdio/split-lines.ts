/** A line; undefined if it exceeds the limit. */
export type Line = string | undefined

interface LineSplitter {
  add(chunk: Buffer): void
  /** Emits the rest as a line. */
  end(): void
}

const NEWLINE = 0x0a

/** Splits bytes into lines. A line over the limit is reported once and skipped. */
export function createLineSplitter(
  maxBytes: () => number,
  onLine: (line: Line) => void,
): LineSplitter {
  let parts: Buffer[] = []
  let size = 0
  let isSkipping = false
  const take = (part: Buffer) => {
    if (isSkipping) return
    size += part.length
    if (size <= maxBytes()) return void parts.push(part)
    isSkipping = true
    parts = []
    onLine(undefined)
  }
  const finish = () => {
    const joined = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
    const wasSkipped = isSkipping
    parts = []
    size = 0
    isSkipping = false
    if (!wasSkipped && joined.length > 0) onLine(joined.toString('utf8'))
  }
  return {
    add(chunk) {
      let from = 0
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        take(chunk.subarray(from, at))
        finish()
        from = at + 1
      }
      if (from < chunk.length) take(chunk.subarray(from))
    },
    end: finish,
  }
}
