import type { Span } from '../../../skills/manifest/source.ts'
import type { Rule } from '../../rule.ts'
import { createExampleToml } from '../../example-skill.ts'
import { isOwnText, readTextFiles } from '../../skill-facts.ts'
import { findMultilineStrings, removeSpans } from '../../text-spans.ts'

export const TRAILING_WHITESPACE: Rule = {
  id: 'hygiene/trailing-whitespace',
  severity: 'info',
  what: 'Lines have trailing whitespace',
  why: 'It causes invisible differences between versions.',
  example: { bad: { 'skill.toml': createExampleToml({ version: '"0.1.0"   ' }) }, good: {} },
  fix: 'Remove them.',
  fixable: 'safe',
  check(skill, report) {
    const found = [...readTextFiles(skill)].flatMap(({ file, text }) => {
      const spans = isOwnText(skill, file) ? findTrailingBlanks(file, text) : []
      return spans.length > 0 ? [{ file, text, spans }] : []
    })
    const [first] = found
    if (!first) return
    const count = found.reduce((sum, { spans }) => sum + spans.length, 0)
    const lines = count === 1 ? '1 line ends' : `${count} lines end`
    const files = found.length === 1 ? '' : ` in ${found.length} files`
    report({
      file: first.file,
      span: first.spans[0],
      message: `${lines} with whitespace${files}, expected none`,
      help: 'Remove them',
      edits: found.flatMap(({ file, text, spans }) => removeSpans(file, text, spans)),
    })
  },
}

function findTrailingBlanks(file: string, text: string): Span[] {
  const spans: Span[] = []
  const isMarkdown = /\.(?:md|markdown)$/i.test(file)
  let quoted: ReturnType<typeof findMultilineStrings> | undefined
  let next = 0
  for (const { start, end } of scanTrailingBlanks(text)) {
    quoted ??= findMultilineStrings(text, file)
    while ((quoted[next]?.end ?? Infinity) <= start) next += 1
    const isValue = (quoted[next]?.start ?? Infinity) < start
    // In Markdown, two or more blanks at the end of a line are a line break.
    const isBreak = isMarkdown && /^[^\n] {2,}$/.test(text.slice(Math.max(start - 1, 0), end))
    if (!isValue && !isBreak) spans.push({ start, end })
  }
  return spans
}

/**
 * Yields blanks before line ends, searching backwards from each end so that the time is linear in
 * their length.
 */
function* scanTrailingBlanks(text: string): Generator<Span> {
  for (let at = 0; at < text.length;) {
    const newline = text.indexOf('\n', at)
    const lineEnd = newline === -1 ? text.length : newline
    const end = text[lineEnd - 1] === '\r' ? lineEnd - 1 : lineEnd
    let start = end
    while (start > at && (text[start - 1] === ' ' || text[start - 1] === '\t')) start -= 1
    if (start < end) yield { start, end }
    at = lineEnd + 1
  }
}
