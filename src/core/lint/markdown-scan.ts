import { memoize } from '../../util/memoize.ts'
import type { MarkdownSource, Span } from '../skills/manifest/source.ts'

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
  const withoutFences = maskText(text.slice(0, bodyStart)) + maskFences(text, bodyStart, code)
  const inlineCode: { text: string; span: Span }[] = []
  const prose = withoutFences.replace(/`([^`\n]{1,300})`/g, (whole, inside: string, at: number) => {
    inlineCode.push({ text: inside.trim(), span: { start: at + 1, end: at + whole.length - 1 } })
    return ' '.repeat(whole.length)
  })
  return { code, inlineCode, prose, links: findLinks(prose), headings: findHeadings(prose, text) }
}

function maskFences(text: string, start: number, code: CodeBlock[]): string {
  let result = ''
  let open: { fence: string; language: string; from: number } | undefined
  for (let at = start; at < text.length;) {
    const next = text.indexOf('\n', at)
    const end = next === -1 ? text.length : next + 1
    const line = text.slice(at, end)
    const fence = /^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)/.exec(line)
    if (open) {
      if (fence && fence[1]?.startsWith(open.fence) && fence[2] === '') {
        code.push({ language: open.language, text: text.slice(open.from, at), start: open.from })
        open = undefined
      }
      result += maskText(line)
    } else if (fence) {
      open = { fence: fence[1] as string, language: fence[2] ?? '', from: end }
      result += maskText(line)
    } else result += line
    at = end
  }
  return result
}

function maskText(text: string): string {
  return text.replace(/[^\n]/g, ' ')
}

function findLinks(prose: string): MarkdownLink[] {
  const links: MarkdownLink[] = []
  if (prose.includes('](')) {
    for (const match of prose.matchAll(/\]\(\s{0,4}<?([^()<>\s]{1,1000})/g)) {
      const start = match.index + match[0].length - (match[1] as string).length
      links.push({
        target: match[1] as string,
        isImage: isImageLink(prose, match.index),
        span: createSpan(start, match[1]),
      })
    }
  }
  if (prose.includes(']:')) {
    for (const match of prose.matchAll(
      /^ {0,3}\[[^\]\n]{1,200}\]:[ \t]{1,8}<?([^\s<>]{1,1000})/gm,
    )) {
      const start = match.index + match[0].length - (match[1] as string).length
      links.push({ target: match[1] as string, isImage: false, span: createSpan(start, match[1]) })
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
