import stringWidth from 'fast-string-width'
import { createUnifiedDiff } from '../../util/unified-diff.ts'
import { toPrintableLines } from '../../util/printable.ts'
import { sortKeys } from '../../core/testing/document/sort-keys.ts'
import type { Difference } from '../../core/testing/expectations/expectation.ts'
import type { TestReporterOptions } from './test-reporter.ts'

/** Lines of a difference: removed lines are expected, added lines are actual. */
export function describeDifference(
  difference: Difference,
  { paint }: Pick<TestReporterOptions, 'paint'>,
): string[] {
  const [expected, actual] =
    difference.kind === 'text'
      ? [difference.expected, difference.actual]
      : [toText(difference.expected), toText(difference.actual)]
  const [, , ...lines] = createUnifiedDiff('', expected, actual).split('\n')
  return lines.flatMap((line, at) => {
    const text = toPrintableLines(line)
    if (line.startsWith('-')) return [paint('removed', text)]
    if (!line.startsWith('+')) return [paint('dim', text)]
    const marks = isPair(lines, at) ? markChangedWords(lines[at - 1] ?? '', line) : undefined
    return [paint('added', text), ...(marks === undefined ? [] : [paint('added', marks)])]
  })
}

/** True for one removed line that one added line replaces. */
function isPair(lines: readonly string[], at: number): boolean {
  const kinds = [-2, -1, 1].map((offset) => lines[at + offset]?.charAt(0))
  return kinds[0] !== '-' && kinds[1] === '-' && kinds[2] !== '+'
}

/** A line that points to the words that differ; undefined if no word is equal. */
function markChangedWords(removed: string, added: string): string | undefined {
  const [before, after] = [removed, added].map((line) => line.slice(1).split(/(?<=\s)|(?=\s)/))
  if (!before || !after) return undefined
  const most = Math.min(before.length, after.length)
  let start = 0
  while (start < most && before[start] === after[start]) start += 1
  let end = 0
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end += 1
  if (start + end === 0) return undefined
  const [head, changed] = [after.slice(0, start), after.slice(start, after.length - end)]
  const widths = [head, changed].map((words) => stringWidth(toPrintableLines(words.join(''))))
  return `?${' '.repeat(widths[0] ?? 0)}${'^'.repeat(Math.max(1, widths[1] ?? 0))}`
}

/** JSON with sorted keys, so that only differences of values show. */
function toText(value: unknown): string {
  return value === undefined ? '' : `${JSON.stringify(sortKeys(value), null, 2)}\n`
}
