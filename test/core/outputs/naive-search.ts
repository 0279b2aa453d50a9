import { MAX_EXCERPT_LINES } from '../../../src/core/outputs/query/search-page.ts'

export interface NaiveOptions {
  terms: readonly string[]
  contextLines: number
  maxExcerpts: number
  cursor: { stream: 'stdout' | 'stderr'; afterLine: number }
  streams: readonly ('stdout' | 'stderr')[]
}

interface NaiveResult {
  excerpts: { lineStart: number; lineEnd: number; content: string; source: string }[]
  matchCount: number
  nextCursor: { stream: string; afterLine: number } | undefined
}

/** A naive search as a reference: all lines as strings, all matches at once. */
export function naiveSearch(
  content: { stdout: Buffer; stderr: Buffer },
  options: NaiveOptions,
): NaiveResult {
  const found: NaiveResult = { excerpts: [], matchCount: 0, nextCursor: undefined }
  for (const source of options.streams) {
    if (options.cursor.stream === 'stderr' && source === 'stdout') continue
    searchStream(source, splitLines(content[source]), options, found)
  }
  return found
}

// eslint-disable-next-line max-params -- a reference, not an example
function searchStream(
  source: 'stdout' | 'stderr',
  lines: readonly Buffer[],
  { terms, contextLines, maxExcerpts, cursor }: NaiveOptions,
  found: NaiveResult,
): void {
  const after = cursor.stream === source ? cursor.afterLine : 0
  const matches = lines.flatMap((line, at) => (at >= after && isMatch(line, terms) ? [at + 1] : []))
  found.matchCount += matches.length
  let shown = after
  for (const match of matches) {
    if (found.nextCursor) return
    if (match <= shown) continue
    const start = Math.max(shown + 1, match - contextLines)
    const last = found.excerpts.at(-1)
    const isJoined =
      last?.source === source &&
      last.lineEnd + 1 === start &&
      match - last.lineStart < MAX_EXCERPT_LINES
    if (!isJoined && found.excerpts.length >= maxExcerpts) {
      found.nextCursor = { stream: source, afterLine: shown }
      return
    }
    if (!isJoined) found.excerpts.push({ lineStart: start, lineEnd: 0, content: '', source })
    const window = found.excerpts.at(-1) as NaiveResult['excerpts'][number]
    shown = findLastLine(window.lineStart, match, matches, contextLines)
    shown = Math.min(shown, lines.length)
    window.lineEnd = shown
    window.content = lines
      .slice(window.lineStart - 1, shown)
      .map(formatLine)
      .join('\n')
  }
}

/** The last line of a window: matches in the lines after a match extend it, up to the maximum. */
// eslint-disable-next-line max-params -- as above
function findLastLine(
  start: number,
  first: number,
  matches: readonly number[],
  context: number,
): number {
  let end = first + context
  for (const match of matches) {
    if (match <= first || match > end) continue
    if (match - start >= MAX_EXCERPT_LINES) return match - 1
    end = match + context
  }
  return end
}

function splitLines(content: Buffer): Buffer[] {
  // As Latin-1, so that lines with different invalid bytes stay different.
  const raw = content.toString('latin1')
  return raw === '' ? [] : raw.split('\n').map((line) => Buffer.from(line, 'latin1'))
}

function isMatch(line: Buffer, terms: readonly string[]): boolean {
  return terms.some(
    (term) => term === '' || new RegExp(escapePattern(term), 'iu').test(maskInvalidBytes(line)),
  )
}

/** Replaces the replacement characters of invalid bytes. */
function maskInvalidBytes(line: Buffer): string {
  return line.toString('utf8').replaceAll('\ufffd', '\u0000')
}

function formatLine(line: Buffer): string {
  const text = line.toString('utf8')
  if (text.length <= 500) return text
  const end = /[\ud800-\udbff]/.test(text[499] as string) ? 499 : 500
  return `${text.slice(0, end)}… (+${text.length - end}) [truncated]`
}

function escapePattern(term: string): string {
  return term.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
