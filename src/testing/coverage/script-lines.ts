import type { StatementStart } from './javascript-statements.ts'
import type { CountedRange, ScriptCoverage } from './raw-coverage.ts'
import { decodeMappings } from './source-map.ts'

/** Counts how often the statement that begins each line was executed. */
export function countScriptLines(
  { ranges, map }: ScriptCoverage,
  statements: readonly StatementStart[],
): Map<number, number> {
  const locate = map ? createLocator(map) : ({ offset }: StatementStart) => offset
  const counts = new Map<number, number>()
  for (const statement of statements) {
    const offset = locate(statement)
    const count = offset === undefined ? 0 : findCount(ranges, offset)
    counts.set(statement.line, Math.max(counts.get(statement.line) ?? 0, count))
  }
  return counts
}

/** Count of the innermost range; ranges are sorted, so that it is the last one that contains it. */
function findCount(ranges: readonly CountedRange[], offset: number): number {
  let count = 0
  for (const range of ranges) {
    if (range.start > offset) break
    if (offset < range.end) ({ count } = range)
  }
  return count
}

/** Finds the offset in the generated code at which a statement of the source begins. */
function createLocator({
  lineLengths,
  mappings,
}: NonNullable<ScriptCoverage['map']>): (start: StatementStart) => number | undefined {
  const starts = [0]
  for (const length of lineLengths) starts.push((starts.at(-1) ?? 0) + length + 1)
  const byLine = new Map<number, { column: number; offset: number }[]>()
  for (const { line, column, sourceLine, sourceColumn } of decodeMappings(mappings)) {
    const places = byLine.get(sourceLine) ?? []
    places.push({ column: sourceColumn, offset: (starts[line] ?? 0) + column })
    byLine.set(sourceLine, places)
  }
  return ({ line, column }) => {
    const places = (byLine.get(line - 1) ?? []).filter((each) => each.column >= column)
    return places.sort((a, b) => a.column - b.column)[0]?.offset
  }
}
