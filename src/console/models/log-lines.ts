export const LOG_LEVELS = ['debug', 'info', 'warning', 'error'] as const
export type LineLevel = (typeof LOG_LEVELS)[number]

/** Characters that are kept; a run with more has its logs on the command line. */
const MAX_CHARACTERS = 32 * 1024 ** 2

/** Lines of a log that grows by pieces, which end anywhere. */
export class LogLines {
  readonly lines: string[] = []
  /** Characters that are not kept. */
  dropped = 0
  #kept = 0
  #isOpen = false

  /** Adds a piece; the last line stays open until a line feed ends it. */
  add(text: string): void {
    if (this.#kept + text.length > MAX_CHARACTERS) {
      this.dropped += text.length
      return
    }
    this.#kept += text.length
    const parts = text.split('\n')
    const [first = ''] = parts
    const from = this.#isOpen ? 1 : 0
    if (this.#isOpen) this.lines[this.lines.length - 1] += first
    for (let at = from; at < parts.length; at += 1) this.lines.push(parts[at] as string)
    const last = this.lines.at(-1)
    this.#isOpen = last !== ''
    if (!this.#isOpen) this.lines.pop()
  }
}

/** Level that a line begins with; undefined for output that has none. */
export function readLevel(line: string): LineLevel | undefined {
  const found = /^\[(debug|info|warning|error)\]/.exec(line)?.[1]
  return found as LineLevel | undefined
}

interface LogFilter {
  text: string
  /** The lowest level that is shown; lines without a level count as `info`. */
  level: LineLevel
}

/** Indexes of the lines that are shown. */
export function selectLines(lines: readonly string[], { text, level }: LogFilter): number[] {
  const wanted = text.toLowerCase()
  const lowest = LOG_LEVELS.indexOf(level)
  const found: number[] = []
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] as string
    if (LOG_LEVELS.indexOf(readLevel(line) ?? 'info') < lowest) continue
    if (wanted === '' || line.toLowerCase().includes(wanted)) found.push(at)
  }
  return found
}
