import stringWidth from 'fast-string-width'
import { LineIndex } from '../../../util/line-index.ts'
import { toPrintableLines } from '../../../util/printable.ts'
import type { Finding } from '../finding.ts'
import type { ReporterOptions } from './reporter.ts'

const TAB = '    '

/**
 * Renders the line of a finding with its span underlined; long lines are truncated around the span.
 */
export function renderCodeFrame(
  finding: Finding,
  source: string,
  options: ReporterOptions,
): string[] {
  const { start, end } = finding
  if (!start || !end) return []
  const lines = new LineIndex(source)
  const raw = lines.getLine(start.line)
  const last = end.line === start.line ? end.column - 1 : raw.length
  const number = String(start.line)
  const room = Math.max(20, options.columns - number.length - 6)
  const { before, marked, after } = clipLine(
    [raw.slice(0, start.column - 1), raw.slice(start.column - 1, last), raw.slice(last)],
    room,
  )
  const gutter = ' '.repeat(number.length)
  const underline = '^'.repeat(Math.max(1, stringWidth(marked)))
  return [
    options.paint('dim', ` ${number} │ `) + before + options.paint('bold', marked) + after,
    options.paint('dim', ` ${gutter} │ `) +
      ' '.repeat(stringWidth(before)) +
      options.paint(finding.severity, underline),
  ]
}

function clipLine(
  [left, middle, right]: readonly [string, string, string],
  room: number,
): { before: string; marked: string; after: string } {
  let before = toPrintableText(left)
  let marked = toPrintableText(middle)
  let after = toPrintableText(right)
  if (stringWidth(marked) > room - 2) marked = `${truncateEnd(marked, room - 3)}…`
  const rest = room - stringWidth(marked)
  if (stringWidth(before) > rest - 10) before = `…${truncateStart(before, Math.max(0, rest - 12))}`
  const remaining = Math.max(0, room - stringWidth(marked) - stringWidth(before))
  if (stringWidth(after) > remaining)
    after = remaining > 1 ? `${truncateEnd(after, remaining - 1)}…` : ''
  return { before, marked, after }
}

function toPrintableText(text: string): string {
  return toPrintableLines(text.replaceAll('\t', TAB))
}

function truncateEnd(text: string, width: number): string {
  let result = ''
  let used = 0
  for (const character of text) {
    used += stringWidth(character)
    if (used > width) break
    result += character
  }
  return result
}

function truncateStart(text: string, width: number): string {
  const characters = Array.from(text.slice(-width * 2))
  let result = ''
  while (characters.length > 0 && stringWidth(result) < width) {
    result = (characters.pop() as string) + result
  }
  return result
}
