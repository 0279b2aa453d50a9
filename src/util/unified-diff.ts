/** A line of two texts: in both, only in the first, or only in the second. */
export interface LineChange {
  kind: ' ' | '-' | '+'
  line: string
}

/** Beyond this size the differing middle is shown as replaced entirely. */
const MAX_CELLS = 4_000_000

/** Unified diff of two texts with three lines of context; empty if equal. */
export function createUnifiedDiff(
  path: string,
  before: string | undefined,
  after: string | undefined,
): string {
  if (before === after) return ''
  const changes = diffLines(splitLines(before), splitLines(after))
  const from = before === undefined ? '/dev/null' : `a/${path}`
  const to = after === undefined ? '/dev/null' : `b/${path}`
  return [`--- ${from}`, `+++ ${to}`, ...formatHunks(changes)].join('\n')
}

function splitLines(text: string | undefined): string[] {
  if (text === undefined || text === '') return []
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  // Attached to the line, so that a line with a line break differs from the same one without.
  else lines.push(`${lines.pop() ?? ''}\n\\ No newline at end of file`)
  return lines
}

/** Differences of two lists of lines or words. */
export function diffLines(before: readonly string[], after: readonly string[]): LineChange[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1
  let end = 0
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  ) {
    end += 1
  }
  const same = (lines: readonly string[]): LineChange[] =>
    lines.map((line) => ({ kind: ' ', line }))
  return [
    ...same(before.slice(0, start)),
    ...diffMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(before.slice(before.length - end)),
  ]
}

function diffMiddle(before: readonly string[], after: readonly string[]): LineChange[] {
  const removed = (line: string): LineChange => ({ kind: '-', line })
  const added = (line: string): LineChange => ({ kind: '+', line })
  if (before.length * after.length > MAX_CELLS) return [...before.map(removed), ...after.map(added)]
  const lengths = computeCommonLengths(before, after)
  const changes: LineChange[] = []
  let row = 0
  let column = 0
  while (row < before.length && column < after.length) {
    const line = before[row] as string
    if (line === after[column]) {
      changes.push({ kind: ' ', line })
      row += 1
      column += 1
    } else if ((lengths[row + 1]?.[column] ?? 0) >= (lengths[row]?.[column + 1] ?? 0)) {
      changes.push(removed(line))
      row += 1
    } else {
      changes.push(added(after[column] as string))
      column += 1
    }
  }
  return [...changes, ...before.slice(row).map(removed), ...after.slice(column).map(added)]
}

/** Common line count of two tails, for every pair of tails. */
function computeCommonLengths(before: readonly string[], after: readonly string[]): Uint32Array[] {
  const table = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1))
  for (let row = before.length - 1; row >= 0; row--) {
    const current = table[row] as Uint32Array
    const below = table[row + 1] as Uint32Array
    for (let column = after.length - 1; column >= 0; column--) {
      current[column] =
        before[row] === after[column]
          ? (below[column + 1] as number) + 1
          : Math.max(below[column] as number, current[column + 1] as number)
    }
  }
  return table
}

const CONTEXT = 3

function formatHunks(changes: readonly LineChange[]): string[] {
  const result: string[] = []
  for (let at = 0; at < changes.length;) {
    if (changes[at]?.kind === ' ') {
      at += 1
      continue
    }
    const from = Math.max(0, at - CONTEXT)
    const to = findHunkEnd(changes, at)
    result.push(formatHunkHeader(changes, from, to), ...changes.slice(from, to).map(formatChange))
    at = to
  }
  return result
}

function findHunkEnd(changes: readonly LineChange[], start: number): number {
  let last = start
  for (let at = start; at < changes.length && at - last <= CONTEXT * 2; at++) {
    if (changes[at]?.kind !== ' ') last = at
  }
  return Math.min(changes.length, last + CONTEXT + 1)
}

function formatHunkHeader(changes: readonly LineChange[], from: number, to: number): string {
  const count = (part: readonly LineChange[], skipped: string) =>
    part.filter((change) => change.kind !== skipped).length
  const before = changes.slice(0, from)
  const inside = changes.slice(from, to)
  const range = (skipped: string) => {
    const length = count(inside, skipped)
    return `${count(before, skipped) + (length === 0 ? 0 : 1)},${length}`
  }
  return `@@ -${range('+')} +${range('-')} @@`
}

function formatChange({ kind, line }: LineChange): string {
  return kind + line
}
