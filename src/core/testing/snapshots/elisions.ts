/** A line that stands for any number of lines. */
const ANY_LINES = '...'

const ESCAPED_LINE = /^\\+\.\.\.$/
/** A part of a line that stands for any text; with a backslash, the characters themselves. */
const TEXT_ELISION = /(\\*)\[\.\.\]/g
/** Texts with more pairs of lines are rewritten without their elisions. */
const MAX_CELLS = 4_000_000

/** Writes a text as a snapshot that fits only this text: `...` and `[..]` get a backslash. */
export function escapeElisions(text: string): string {
  return text.split('\n').map(escapeLine).join('\n')
}

function escapeLine(line: string): string {
  if (line === ANY_LINES || ESCAPED_LINE.test(line)) return `\\${line}`
  return line.replaceAll(TEXT_ELISION, (found) => `\\${found}`)
}

/** True if a snapshot has parts that stand for other text. */
export function hasElisions(snapshot: string): boolean {
  return snapshot.split('\n').some((line) => line === ANY_LINES || splitParts(line).length > 1)
}

/** True if the text fits the snapshot. */
export function fitsSnapshot(snapshot: string, text: string): boolean {
  return matchParts(
    snapshot.split('\n').map((line) => (line === ANY_LINES ? undefined : line)),
    text.split('\n'),
    fitsLine,
  )
}

/** Matches wildcards (undefined) without recursion: only the last one is ever extended. */
function matchParts<Pattern, Value>(
  patterns: readonly (Pattern | undefined)[],
  values: readonly Value[],
  fits: (pattern: Pattern, value: Value) => boolean,
): boolean {
  let pattern = 0
  let wildcard = -1
  let resumeAt = 0
  for (let at = 0; at < values.length;) {
    const current = patterns[pattern]
    if (pattern < patterns.length && current === undefined) {
      wildcard = pattern
      resumeAt = at
      pattern += 1
    } else if (current !== undefined && fits(current, values[at] as Value)) {
      pattern += 1
      at += 1
    } else if (wildcard >= 0) {
      pattern = wildcard + 1
      resumeAt += 1
      at = resumeAt
    } else return false
  }
  while (pattern < patterns.length && patterns[pattern] === undefined) pattern += 1
  return pattern === patterns.length
}

/** Literal texts of a line, between its elisions. */
function splitParts(line: string): string[] {
  if (ESCAPED_LINE.test(line)) return [line.slice(1)]
  const parts = ['']
  let end = 0
  for (const found of line.matchAll(TEXT_ELISION)) {
    const [whole, slashes = ''] = found
    parts.push((parts.pop() ?? '') + line.slice(end, found.index))
    if (slashes === '') parts.push('')
    else parts.push((parts.pop() ?? '') + whole.slice(1))
    end = found.index + whole.length
  }
  parts.push((parts.pop() ?? '') + line.slice(end))
  return parts
}

function fitsLine(pattern: string, line: string): boolean {
  const parts = splitParts(pattern)
  const [first = ''] = parts
  if (parts.length === 1) return line === first
  const last = parts.at(-1) ?? ''
  if (line.length < first.length + last.length) return false
  if (!line.startsWith(first) || !line.endsWith(last)) return false
  const end = line.length - last.length
  let at = first.length
  for (const part of parts.slice(1, -1)) {
    const found = line.indexOf(part, at)
    if (found === -1 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}

/**
 * Rewrites a snapshot for another text: lines that still fit stay as they are, with their elisions.
 * Returns undefined if the texts are too long to compare.
 */
export function rewriteSnapshot(snapshot: string, text: string): string | undefined {
  const [before, after] = [snapshot.split('\n'), text.split('\n')]
  if (!hasElisions(snapshot)) return escapeElisions(text)
  if ((before.length + 1) * (after.length + 1) > MAX_CELLS) return undefined
  return alignLines(before, after).join('\n')
}

const [REPLACED, ADDED, REMOVED] = [2, 2, 3]

/** Follows the cheapest way to turn the lines of a snapshot into those of a text. */
function alignLines(before: readonly string[], after: readonly string[]): string[] {
  const width = after.length + 1
  const costs = computeCosts(before, after)
  const result: string[] = []
  let [row, column] = [0, 0]
  while (row < before.length || column < after.length) {
    const [pattern, line] = [before[row], after[column]]
    const saved = (rows: number, columns: number) =>
      (costs[row * width + column] ?? 0) - (costs[(row + rows) * width + column + columns] ?? 0)
    const step = chooseStep(pattern, line, saved)
    if (step.text !== undefined) result.push(step.text)
    row += step.rows
    column += step.columns
  }
  return result
}

interface AlignStep {
  rows: number
  columns: number
  text: string | undefined
}

/** Chooses the step whose cost is the difference to the rest; a replaced line before an added one. */
function chooseStep(
  pattern: string | undefined,
  line: string | undefined,
  saved: (rows: number, columns: number) => number,
): AlignStep {
  if (pattern === ANY_LINES) {
    return saved(1, 0) === 0
      ? { rows: 1, columns: 0, text: pattern }
      : { rows: 0, columns: 1, text: undefined }
  }
  if (line === undefined) return { rows: 1, columns: 0, text: undefined }
  if (pattern !== undefined && saved(1, 1) === compareLines(pattern, line)) {
    const text = fitsLine(pattern, line) ? pattern : escapeLine(line)
    return { rows: 1, columns: 1, text }
  }
  const isAdded = pattern === undefined || saved(0, 1) === ADDED
  if (isAdded) return { rows: 0, columns: 1, text: escapeLine(line) }
  return { rows: 1, columns: 0, text: undefined }
}

function compareLines(pattern: string, line: string): number {
  return fitsLine(pattern, line) ? 0 : REPLACED
}

/** Costs of turning each tail of the snapshot into each tail of the text, row by row. */
function computeCosts(before: readonly string[], after: readonly string[]): Uint32Array {
  const width = after.length + 1
  const costs = new Uint32Array((before.length + 1) * width)
  const cost = (row: number, column: number) => costs[row * width + column] as number
  for (let row = before.length; row >= 0; row--) {
    for (let column = after.length; column >= 0; column--) {
      const pattern = before[row]
      const line = after[column]
      const choices: number[] = []
      if (pattern === ANY_LINES) {
        choices.push(cost(row + 1, column))
        if (line !== undefined) choices.push(cost(row, column + 1))
      } else {
        if (pattern !== undefined) choices.push(cost(row + 1, column) + REMOVED)
        if (line !== undefined) choices.push(cost(row, column + 1) + ADDED)
        if (pattern !== undefined && line !== undefined) {
          choices.push(cost(row + 1, column + 1) + compareLines(pattern, line))
        }
      }
      costs[row * width + column] = choices.length === 0 ? 0 : Math.min(...choices)
    }
  }
  return costs
}
