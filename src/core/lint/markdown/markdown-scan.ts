import { memoize } from '../../../util/memoize.ts'
import type { MarkdownSource, Span } from '../../skills/manifest/source.ts'

interface MarkdownLink {
  /** As written in the document. */
  target: string
  isImage: boolean
  span: Span
}

interface MarkdownHeading {
  level: number
  text: string
  span: Span
}

interface CodeBlock {
  language: string
  text: string
  /** Offset of the text inside the fences. */
  start: number
}

/** Structure of SKILL.md's body, found in linear time. */
interface MarkdownScan {
  links: readonly MarkdownLink[]
  headings: readonly MarkdownHeading[]
  code: readonly CodeBlock[]
  /** The fence that opens a block that no fence closes. */
  unclosedFence: Span | undefined
  /** `inline code`, without the backticks. */
  inlineCode: readonly { text: string; span: Span }[]
  /** The body with code replaced by blanks; offsets are those of the file. */
  prose: string
}

/** Scans a body once for all rules. */
export const scanMarkdown: (source: MarkdownSource) => MarkdownScan = memoize((source) =>
  scanBody(source.text, source.bodyStart),
)

function scanBody(text: string, bodyStart: number): MarkdownScan {
  const code: CodeBlock[] = []
  const fences = maskFences(text, bodyStart, code)
  const withoutFences = maskText(text.slice(0, bodyStart)) + fences.masked
  const withoutComments = withoutFences.replace(/<!--(?:(?!-->)[^]){0,20000}-->/g, maskText)
  const inlineCode: { text: string; span: Span }[] = []
  const prose = withoutComments.replace(
    /(`+)([^`\n]{1,300}(?:(?!\1)`+[^`\n]{1,300}){0,8})\1(?!`)/g,
    (whole: string, ...[ticks, inside, at]: [string, string, number]) => {
      const span = { start: at + ticks.length, end: at + whole.length - ticks.length }
      inlineCode.push({ text: inside.trim(), span })
      return ' '.repeat(whole.length)
    },
  )
  const outsideTemplates = maskTemplates(prose, text, code)
  return {
    code,
    unclosedFence: fences.unclosed,
    inlineCode: inlineCode.filter(({ span }) => isInside(outsideTemplates, prose, span)),
    prose: outsideTemplates,
    links: findLinks(outsideTemplates),
    headings: findHeadings(prose, text),
  }
}

/** True if no template covers the line of a span. */
function isInside(outsideTemplates: string, prose: string, { start }: Span): boolean {
  const line = prose.lastIndexOf('\n', start - 1) + 1
  const end = prose.indexOf('\n', start)
  const isBlank = prose.slice(line, end === -1 ? undefined : end).trim() === ''
  return isBlank || outsideTemplates.slice(line, end === -1 ? undefined : end).trim() !== ''
}

const FENCE =
  /^([ \t]*(?:>[ \t]?)*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(`{3,}(?=[^`\n]*$)|~{3,}(?=[^\n]*$))[ \t]*([^\s`]*)/

interface OpenBlock {
  fence: string
  indent: number
  language: string
  /** Offset of the first line after the fence. */
  from: number
  span: Span
}

function maskFences(
  text: string,
  start: number,
  code: CodeBlock[],
): { masked: string; unclosed: Span | undefined } {
  let masked = ''
  let open: OpenBlock | undefined
  // The first block with a fence inside: probably the one that was to end before that fence.
  let withFence: Span | undefined
  for (const { line, at, end } of scanLines(text, start)) {
    const fence = parseFence(line, at, end)
    masked += open || fence ? maskText(line) : line
    if (open && fence && isClosing(open, fence)) {
      code.push({ language: open.language, text: text.slice(open.from, at), start: open.from })
      open = undefined
    } else if (open && fence) withFence ??= open.span
    else open ??= fence
  }
  return { masked, unclosed: open && locateUnclosed(open, withFence) }
}

/** A block inside a list or a quotation ends with it. */
function locateUnclosed(open: OpenBlock, withFence: Span | undefined): Span | undefined {
  return open.indent === 0 ? (withFence ?? open.span) : undefined
}

/** Yields lines with their line feeds. */
function* scanLines(text: string, start: number) {
  for (let at = start; at < text.length;) {
    const next = text.indexOf('\n', at)
    const end = next === -1 ? text.length : next + 1
    yield { line: text.slice(at, end), at, end }
    at = end
  }
}

function parseFence(line: string, at: number, from: number): OpenBlock | undefined {
  if (!/```|~~~/.test(line)) return undefined
  const [whole, lead = '', fence = '', language = ''] = FENCE.exec(line.replace(/\r?\n$/, '')) ?? []
  if (whole === undefined) return undefined
  const span = { start: at + lead.length, end: at + whole.length }
  return { fence, indent: lead.length, language, from, span }
}

function isClosing(open: OpenBlock, { fence, indent, language }: OpenBlock): boolean {
  return fence.startsWith(open.fence) && language === '' && indent < open.indent + 4
}

/**
 * Masks the rest of Markdown templates that contain fences of the same length: the first inner fence
 * closes them for a parser, but not for their authors.
 */
function maskTemplates(prose: string, text: string, code: readonly CodeBlock[]): string {
  let result = prose
  for (const block of code) {
    if (!/^(?:markdown|md|mdx)$/i.test(block.language)) continue
    const parserEnd = block.start + block.text.length
    const end = findTemplateEnd(text, block.start)
    if (end === undefined || end <= parserEnd) continue
    result = result.slice(0, parserEnd) + maskText(result.slice(parserEnd, end)) + result.slice(end)
  }
  return result
}

/** Limit on the length of a template, which keeps the search linear. */
const MAX_TEMPLATE = 50_000

function findTemplateEnd(text: string, start: number): number | undefined {
  let depth = 1
  const fences = /^[ \t]*`{3,}[ \t]*([^\s`]*)[^`\n]*$/gm
  fences.lastIndex = start
  for (let match = fences.exec(text); match; match = fences.exec(text)) {
    if (match.index - start > MAX_TEMPLATE) return undefined
    depth += match[1] === '' ? -1 : 1
    if (depth === 0) return match.index + match[0].length
  }
  return undefined
}

function maskText(text: string): string {
  return text.replace(/[^\n]/g, ' ')
}

const LINK =
  /\]\([ \t\n]{0,4}(?:<([^<>\n]{1,1000})>|((?:[^()<>\s]|\\[()]){1,1000}(?:\([^()<>\s]{0,200}\)[^()<>\s]{0,200}){0,3}))(?=[ \t\n]{0,4}(?:["'(][^\n]{0,300}["')][ \t]{0,4})?\))/g
/** Labels with "^" are footnotes; a target is the last word of its line, save a title. */
const DEFINITION =
  /^ {0,3}\[(?!\^)[^\]\n]{1,200}\]:[ \t]{1,8}<?([^\s<>]{1,1000})>?(?=[ \t]*(?:["'(][^\n]{0,300})?\r?$)/gm

function findLinks(prose: string): MarkdownLink[] {
  const links: MarkdownLink[] = []
  if (prose.includes('](')) {
    for (const match of prose.matchAll(LINK)) {
      const target = match[1] ?? match[2] ?? ''
      const start = match.index + match[0].length - target.length - (match[1] === undefined ? 0 : 1)
      const isImage = isImageLink(prose, match.index)
      links.push({ target, isImage, span: createSpan(start, target) })
    }
  }
  if (prose.includes(']:')) {
    for (const match of prose.matchAll(DEFINITION)) {
      const target = match[1] as string
      const start = match.index + match[0].lastIndexOf(target)
      links.push({ target, isImage: false, span: createSpan(start, target) })
    }
  }
  return links
}

function isImageLink(prose: string, closing: number): boolean {
  // Limits the label, which keeps the search linear; no author writes a longer one.
  const label = prose.slice(Math.max(0, closing - 500), closing)
  const opening = label.lastIndexOf('[')
  return opening > 0 && label[opening - 1] === '!'
}

function createSpan(start: number, text: string | undefined): Span {
  return { start, end: start + (text?.length ?? 0) }
}

function findHeadings(prose: string, text: string): MarkdownHeading[] {
  const headings: MarkdownHeading[] = []
  for (const match of prose.matchAll(/^ {0,3}(#{1,6})[ \t]+([^\n]*)$/gm)) {
    const start = match.index + match[0].indexOf('#')
    const end = match.index + match[0].trimEnd().length
    const level = (match[1] as string).length
    const title = text
      .slice(start + level, end)
      .replace(/\s#+\s*$/, '')
      .trim()
    headings.push({ level, text: title, span: { start, end } })
  }
  return headings
}

/** Creates the anchor of a heading as hosts such as GitHub do. */
export function createAnchor(heading: string): string {
  const plain = heading.replace(/[`*~]|!?\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
  return plain
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
}
