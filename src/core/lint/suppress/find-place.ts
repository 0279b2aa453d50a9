import { readMarkdown } from '../../skills/manifest/markdown-source.ts'
import type { LineIndex } from '../../../util/line-index.ts'
import type { CommentPlace, FileFamily } from './comment-syntax.ts'
import { findMarkdownPlace, type MarkdownParser } from './markdown-place.ts'
import { findMultilineSpans } from './multiline-spans.ts'

export type FindPlace = (line: number) => CommentPlace

/** Creates a function that finds the place for a finding on a line of a file. */
export function createPlaceFinder(
  { file, lines, family }: { file: string; lines: LineIndex; family: FileFamily },
  parseMarkdown: MarkdownParser,
): FindPlace {
  if (family === 'jsx') return () => 'file'
  if (family !== 'markdown') return createCodePlaceFinder(lines, family)
  const { frontMatter, bodyStart } = readMarkdown(file, lines.text)
  const first = frontMatter.present ? lines.positionAt(bodyStart).line : 1
  const isEmptyBody = bodyStart >= lines.text.length
  const inFrontMatter = createYamlPlaceFinder(lines, frontMatter)
  const root = parseMarkdown(lines.text.slice(bodyStart))
  return (line) =>
    line < first || isEmptyBody
      ? inFrontMatter(line)
      : findMarkdownPlace(lines, root, { line, first })
}

/** The opening fence must stay the first line of the file. */
function createYamlPlaceFinder(
  lines: LineIndex,
  { present, problem, span }: ReturnType<typeof readMarkdown>['frontMatter'],
): FindPlace {
  if (!present || problem) return () => 'file'
  const start = lines.getLineStart(2)
  const yaml = lines.text.slice(start, span.end).replace(/---[ \t]*\r?\n?$/, '')
  const spans = findMultilineSpans(yaml, 'yaml')
  return (line) => {
    if (!spans || line === 1) return 'file'
    const at = lines.getLineStart(line) - start
    return spans.some((each) => each.start < at && at < each.end) ? 'file' : 'before'
  }
}

function createCodePlaceFinder(lines: LineIndex, family: FileFamily): FindPlace {
  const spans = findMultilineSpans(lines.text, family)
  const head = countHeadLines(lines)
  return (line) => {
    if (!spans || line <= head || /\\\r?$/.test(line > 1 ? lines.getLine(line - 1) : ''))
      return 'file'
    const at = lines.getLineStart(line)
    return spans.some((each) => each.start < at && at < each.end) ? 'file' : 'before'
  }
}

/** Number of lines that must stay first: the interpreter, and the encoding of Python. */
export function countHeadLines(lines: LineIndex): number {
  if (/^[ \t\f]*#.*?coding[:=]/.test(lines.getLine(2))) return 2
  return /^\uFEFF?(?:#!|[ \t\f]*#.*?coding[:=])/.test(lines.getLine(1)) ? 1 : 0
}
