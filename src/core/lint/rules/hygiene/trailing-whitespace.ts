import type { Edit, Rule } from '../../rule.ts'
import { exampleToml } from '../../example-skill.ts'
import { textFiles } from '../../skill-facts.ts'

export const TRAILING_WHITESPACE: Rule = {
  id: 'hygiene/trailing-whitespace',
  severity: 'info',
  what: 'Lines end with blanks or tabs',
  why: 'They make differences that nobody sees.',
  example: { bad: { 'skill.toml': exampleToml({ version: '"0.1.0"   ' }) }, good: {} },
  fix: 'Remove them.',
  fixable: 'safe',
  check(skill, report) {
    for (const { file, text } of textFiles(skill)) {
      const edits = blankEnds(file, text)
      const [first] = edits
      if (first?.kind !== 'replace') continue
      const lines = edits.length === 1 ? '1 line ends' : `${edits.length} lines end`
      report({
        file,
        span: first.span,
        message: `${lines} with blanks`,
        help: 'Remove them',
        edits,
      })
    }
  },
}

function blankEnds(file: string, text: string): Edit[] {
  const edits: Edit[] = []
  const quoted = tripleQuoted(text, file)
  const isMarkdown = /\.(?:md|markdown)$/i.test(file)
  let next = 0
  for (const { start, end } of blankSpans(text)) {
    while ((quoted[next]?.end ?? Infinity) < start) next += 1
    const isValue = (quoted[next]?.start ?? Infinity) < start
    // Two blanks at the end of a line are a line break in Markdown.
    const isBreak =
      isMarkdown && text.slice(start, end) === '  ' && start > 0 && text[start - 1] !== '\n'
    if (!isValue && !isBreak) edits.push({ kind: 'replace', file, span: { start, end }, text: '' })
  }
  return edits
}

/** Blanks in front of line ends, found backwards from each end so that long runs cost nothing. */
function* blankSpans(text: string): Generator<{ start: number; end: number }> {
  for (
    let newline = text.indexOf('\n');
    newline !== -1;
    newline = text.indexOf('\n', newline + 1)
  ) {
    const end = text[newline - 1] === '\r' ? newline - 1 : newline
    let start = end
    while (start > 0 && (text[start - 1] === ' ' || text[start - 1] === '\t')) start -= 1
    if (start < end) yield { start, end }
  }
}

/** Where triple-quoted texts stand: blanks inside them belong to a value. */
function tripleQuoted(text: string, file: string): { start: number; end: number }[] {
  if (!/\.(?:toml|py)$/.test(file)) return []
  const spans: { start: number; end: number }[] = []
  let open: RegExpExecArray | undefined
  for (const mark of text.matchAll(/"""|'''/g)) {
    if (!open) open = mark
    else if (mark[0] === open[0]) {
      spans.push({ start: open.index, end: mark.index })
      open = undefined
    }
  }
  return spans
}
