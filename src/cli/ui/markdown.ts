import type { ChalkInstance } from 'chalk'
import type {
  BlockContent,
  DefinitionContent,
  Image,
  ImageReference,
  Link,
  LinkReference,
  List,
  PhrasingContent,
  Root,
  RootContent,
} from 'mdast'
import { printableLines } from '../../util/printable.ts'
import { wrapCode } from './code-lines.ts'
import { renderRows, tableRows } from './markdown-table.ts'
import { widthOf, wrap } from './text.ts'

/** Where rendered Markdown goes. */
export interface Page {
  columns: number
  /** Whether somebody looks at lines of this width; in a file code stays as it was written. */
  wrapsCode: boolean
  style: ChalkInstance
}

/** Renders Markdown for a terminal, wrapped to its width; nothing in it can drive the terminal. */
export async function renderMarkdown(text: string, page: Page): Promise<string> {
  const { fromMarkdown } = await import('mdast-util-from-markdown')
  const parse = (source: string) => fromMarkdown(source)
  return blocks(parse(text).children, { ...page, source: text, parse }).join('\n')
}

type Place = Page & { source: string; parse: (source: string) => Root }

function blocks(nodes: readonly RootContent[], place: Place): string[] {
  const lines: string[] = []
  for (const node of nodes) {
    const rendered = block(node, place)
    if (rendered.length === 0) continue
    if (lines.length > 0) lines.push('')
    lines.push(...rendered)
  }
  return lines
}

function block(node: RootContent, place: Place): readonly string[] {
  const { style, columns } = place
  switch (node.type) {
    case 'heading': {
      const paint = node.depth === 1 ? style.bold.underline : style.bold
      return wrap(inline(node.children, style), columns).map((line) => paint(line))
    }
    case 'paragraph':
      return paragraph(node, place)
    case 'code':
      return codeLines(node, place).map((line) => `    ${style.cyan(line)}`)
    case 'blockquote':
      return indented(node.children, { place, first: '│ ', rest: '│ ' })
    case 'list':
      return list(node, place)
    case 'thematicBreak':
      return ['─'.repeat(Math.min(columns, 40))]
    case 'html':
      return printableLines(node.value)
        .split('\n')
        .flatMap((line) => wrap(line, columns))
        .map((line) => style.dim(line))
    case 'definition':
      return wrap(`[${flat(node.label ?? node.identifier)}]: ${flat(node.url)}`, columns)
    default:
      return []
  }
}

function codeLines(node: Extract<RootContent, { type: 'code' }>, place: Place): string[] {
  const code = printableLines(node.value)
  const language = (node.lang ?? '').toLowerCase()
  const columns = place.wrapsCode ? place.columns - CODE_INDENT : Infinity
  return wrapCode(code, { language, columns })
}

const CODE_INDENT = 4

/** A table is a paragraph to plain Markdown. */
function paragraph(node: Extract<RootContent, { type: 'paragraph' }>, place: Place): string[] {
  const start = node.position?.start.offset ?? 0
  const source = place.source.slice(start, node.position?.end.offset ?? start)
  const rows = tableRows(source)
  if (rows) {
    const cells = rows.map((row) => row.map((cell) => cellText(cell, place)))
    return renderRows(cells, { columns: place.columns, paintHead: place.style.dim })
  }
  const text = inline(node.children, place.style)
  return text.split('\n').flatMap((line) => wrap(line, place.columns))
}

/** What a cell says, its own markup rendered. */
function cellText(cell: string, { parse, style }: Place): string {
  const [node] = parse(cell).children
  return node?.type === 'paragraph' ? inline(node.children, style) : flat(cell)
}

function list(node: List, place: Place): string[] {
  let number = node.start ?? 1
  const lines: string[] = []
  for (const item of node.children) {
    const marker = node.ordered ? `${number++}. ` : '• '
    const rest = ' '.repeat(widthOf(marker))
    if (lines.length > 0 && node.spread) lines.push('')
    lines.push(...indented(item.children, { place, first: marker, rest }))
  }
  return lines
}

function indented(
  nodes: readonly (BlockContent | DefinitionContent)[],
  at: { place: Place; first: string; rest: string },
): string[] {
  const columns = Math.max(8, at.place.columns - widthOf(at.rest))
  const lines = blocks(nodes, { ...at.place, columns })
  return lines.map((line, index) => (index === 0 ? at.first : at.rest) + line)
}

/** Soft line ends become spaces, hard ones stay. */
function inline(nodes: readonly PhrasingContent[], style: ChalkInstance): string {
  return nodes.map((node) => phrase(node, style)).join('')
}

function phrase(node: PhrasingContent, style: ChalkInstance): string {
  switch (node.type) {
    case 'text':
    case 'html':
      return flat(node.value)
    case 'strong':
      return style.bold(inline(node.children, style))
    case 'emphasis':
      return style.italic(inline(node.children, style))
    case 'inlineCode':
      return style.cyan(flat(node.value))
    case 'break':
      return '\n'
    case 'link':
    case 'linkReference':
      return link(node, style)
    case 'image':
    case 'imageReference':
      return style.dim(imageText(node))
    default:
      return 'children' in node ? inline(node.children, style) : ''
  }
}

function imageText(node: Image | ImageReference): string {
  const target = flat(node.type === 'image' ? node.url : (node.label ?? node.identifier))
  return node.alt ? `[${flat(node.alt)}] (${target})` : `[${target}]`
}

function link(node: Link | LinkReference, style: ChalkInstance): string {
  const text = inline(node.children, style)
  if (node.type === 'linkReference') {
    const label = style.dim(`[${flat(node.label ?? node.identifier)}]`)
    return node.referenceType === 'full' ? `${text} ${label}` : text
  }
  const url = flat(node.url)
  return text === url || url === '' ? text : `${text} ${style.dim(`(${url})`)}`
}

function flat(value: string): string {
  return printableLines(value).replace(/\n/g, ' ')
}
