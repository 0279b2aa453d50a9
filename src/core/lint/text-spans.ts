import type { Span } from '../skills/manifest/source.ts'
import type { LintEdit } from './rule.ts'

/**
 * Yields matches of a global pattern, at most one per line; the others appear after the first is
 * fixed.
 */
export function* findFirstPerLine(
  text: string,
  pattern: RegExp,
): Generator<Span & { text: string }> {
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    yield { start: match.index, end: match.index + match[0].length, text: match[0] }
    const newline = text.indexOf('\n', match.index + match[0].length)
    if (newline === -1) break
    pattern.lastIndex = newline + 1
  }
  pattern.lastIndex = 0
}

/** Above this number, one edit replaces all. */
const MAX_EDITS = 100

/** Edits that remove spans from a file's text; spans are ordered and do not overlap. */
export function removeSpans(file: string, text: string, spans: readonly Span[]): LintEdit[] {
  if (spans.length <= MAX_EDITS) {
    return spans.map((span) => ({ kind: 'replace', file, span, text: '' }))
  }
  const start = (spans[0] as Span).start
  const remaining: string[] = []
  let end = start
  for (const span of spans) {
    remaining.push(text.slice(end, span.start))
    end = span.end
  }
  return [{ kind: 'replace', file, span: { start, end }, text: remaining.join('') }]
}

/** Formats a code point as standards do: U+202E. */
export function formatCodePoint(character: string): string {
  return `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`
}

/** True for data files, in which whitespace may be significant. */
export function isDataFile(path: string): boolean {
  return /\.(?:csv|tsv)$/i.test(path)
}

/** True for files in which every character may be part of executed code. */
export function isCodeFile(path: string): boolean {
  return !/\.(?:md|markdown|txt|rst|toml)$/i.test(path)
}

/** Finds multi-line strings in TOML and Python: blanks inside them are data. */
export function findMultilineStrings(text: string, path: string): Span[] {
  if (!/\.(?:toml|py)$/i.test(path) || !/"""|'''/.test(text)) return []
  const spans: Span[] = []
  const token = /#[^\n]*|"""|'''|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/g
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const [mark] = match
    if (mark !== '"""' && mark !== "'''") continue
    const end = findClosingQuotes(text, mark, token.lastIndex)
    spans.push({ start: match.index, end })
    token.lastIndex = end
  }
  return spans
}

function findClosingQuotes(text: string, mark: string, from: number): number {
  for (let at = text.indexOf(mark, from); at !== -1; at = text.indexOf(mark, at + 1)) {
    let slashes = 0
    while (text[at - 1 - slashes] === '\\') slashes += 1
    if (slashes % 2 === 0) return at + mark.length
  }
  return text.length
}
