/** A line that stands for any number of lines. */
const ANY_LINES = '...'
/** A part of a line that stands for any text. */
const ANY_TEXT = '[..]'

/** True if a text fits a pattern: `...` stands for lines, `[..]` for a part of a line. */
export function fitsElidedText(pattern: string, text: string): boolean {
  const wanted = pattern.split('\n')
  const actual = text.split('\n')
  // Starts of `wanted` that fit the lines so far: each line is compared once with each start.
  let open = skipAnyLines(new Set([0]), wanted)
  for (const line of actual) {
    const next = new Set<number>()
    for (const at of open) {
      if (wanted[at] === ANY_LINES) next.add(at)
      else if (at < wanted.length && fitsLine(wanted[at] ?? '', line)) next.add(at + 1)
    }
    open = skipAnyLines(next, wanted)
  }
  return open.has(wanted.length)
}

/** `...` may stand for no line. */
function skipAnyLines(open: Set<number>, wanted: readonly string[]): Set<number> {
  for (const at of open) if (wanted[at] === ANY_LINES) open.add(at + 1)
  return open
}

/** Parts between elisions occur in their order; the first and the last one at the ends. */
function fitsLine(pattern: string, line: string): boolean {
  const [first = '', ...rest] = pattern.split(ANY_TEXT)
  const last = rest.pop()
  if (last === undefined) return pattern === line
  if (!line.startsWith(first)) return false
  let from = first.length
  for (const part of rest) {
    const found = line.indexOf(part, from)
    if (found === -1) return false
    from = found + part.length
  }
  return line.length - last.length >= from && line.endsWith(last)
}
