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
import { toPrintableLines } from '../../util/printable.ts'
import { wrapCode } from './code-lines.ts'
import { renderTableRows, parseTableRows } from './markdown-table.ts'
import { measureWidth, wrapText } from './text.ts'

/** Target of rendered Markdown. */
export interface MarkdownPage {
  columns: number
  /** True if code lines are wrapped for a terminal; in a file they are not. */
  wrapsCode: boolean
  style: ChalkInstance
}

/**
 * Renders Markdown for a terminal, wrapped to its width. Control sequences in it are neutralised.
 */
export async function renderMarkdown(text: string, page: MarkdownPage): Promise<string> {
  const { fromMarkdown } = await import('mdast-util-from-markdown')
  const parse = (source: string) => fromMarkdown(source)
  return renderBlocks(parse(text).children, { ...page, source: text, parse }).join('\n')
}

type RenderContext = MarkdownPage & { source: string; parse: (source: string) => Root }

function renderBlocks(nodes: readonly RootContent[], context: RenderContext): string[] {
  const lines: string[] = []
  for (const node of nodes) {
    const rendered = renderBlock(node, context)
    if (rendered.length === 0) continue
    if (lines.length > 0) lines.push('')
    lines.push(...rendered)
  }
  return lines
}

function renderBlock(node: RootContent, context: RenderContext): readonly string[] {
  const { style, columns } = context
  switch (node.type) {
    case 'heading': {
      const paint = node.depth === 1 ? style.bold.underline : style.bold
      return wrapText(renderInline(node.children, style), columns).map((line) => paint(line))
    }
    case 'paragraph':
      return renderParagraph(node, context)
    case 'code':
      return renderCode(node, context).map((line) => `    ${style.cyan(line)}`)
    case 'blockquote':
      return indentBlocks(node.children, { context, first: '│ ', rest: '│ ' })
    case 'list':
      return renderList(node, context)
    case 'thematicBreak':
      return ['─'.repeat(Math.min(columns, 40))]
    case 'html':
      return toPrintableLines(node.value)
        .split('\n')
        .flatMap((line) => wrapText(line, columns))
        .map((line) => style.dim(line))
    case 'definition':
      return wrapText(
        `[${flattenText(node.label ?? node.identifier)}]: ${flattenText(node.url)}`,
        columns,
      )
    default:
      return []
  }
}

function renderCode(
  node: Extract<RootContent, { type: 'code' }>,
  context: RenderContext,
): string[] {
  const code = toPrintableLines(node.value)
  const language = (node.lang ?? '').toLowerCase()
  const columns = context.wrapsCode ? context.columns - CODE_INDENT : Infinity
  return wrapCode(code, { language, columns })
}

const CODE_INDENT = 4

/** Plain Markdown parses a table as a paragraph. */
function renderParagraph(
  node: Extract<RootContent, { type: 'paragraph' }>,
  context: RenderContext,
): string[] {
  const start = node.position?.start.offset ?? 0
  const source = context.source.slice(start, node.position?.end.offset ?? start)
  const rows = parseTableRows(source)
  if (rows) {
    const cells = rows.map((row) => row.map((cell) => renderCell(cell, context)))
    return renderTableRows(cells, { columns: context.columns, paintHead: context.style.dim })
  }
  const text = renderInline(node.children, context.style)
  return text.split('\n').flatMap((line) => wrapText(line, context.columns))
}

/** Text of a cell, with its inline markup rendered. */
function renderCell(cell: string, { parse, style }: RenderContext): string {
  const [node] = parse(cell).children
  return node?.type === 'paragraph' ? renderInline(node.children, style) : flattenText(cell)
}

function renderList(node: List, context: RenderContext): string[] {
  let number = node.start ?? 1
  const lines: string[] = []
  for (const item of node.children) {
    const marker = node.ordered ? `${number++}. ` : '• '
    const rest = ' '.repeat(measureWidth(marker))
    if (lines.length > 0 && node.spread) lines.push('')
    lines.push(...indentBlocks(item.children, { context, first: marker, rest }))
  }
  return lines
}

function indentBlocks(
  nodes: readonly (BlockContent | DefinitionContent)[],
  layout: { context: RenderContext; first: string; rest: string },
): string[] {
  const columns = Math.max(8, layout.context.columns - measureWidth(layout.rest))
  const lines = renderBlocks(nodes, { ...layout.context, columns })
  return lines.map((line, index) => (index === 0 ? layout.first : layout.rest) + line)
}

/** Replaces soft line breaks by spaces; preserves hard ones. */
function renderInline(nodes: readonly PhrasingContent[], style: ChalkInstance): string {
  return nodes.map((node) => renderPhrase(node, style)).join('')
}

function renderPhrase(node: PhrasingContent, style: ChalkInstance): string {
  switch (node.type) {
    case 'text':
    case 'html':
      return flattenText(node.value)
    case 'strong':
      return style.bold(renderInline(node.children, style))
    case 'emphasis':
      return style.italic(renderInline(node.children, style))
    case 'inlineCode':
      return style.cyan(flattenText(node.value))
    case 'break':
      return '\n'
    case 'link':
    case 'linkReference':
      return renderLink(node, style)
    case 'image':
    case 'imageReference':
      return style.dim(renderImage(node))
    default:
      return 'children' in node ? renderInline(node.children, style) : ''
  }
}

function renderImage(node: Image | ImageReference): string {
  const target = flattenText(node.type === 'image' ? node.url : (node.label ?? node.identifier))
  return node.alt ? `[${flattenText(node.alt)}] (${target})` : `[${target}]`
}

function renderLink(node: Link | LinkReference, style: ChalkInstance): string {
  const text = renderInline(node.children, style)
  if (node.type === 'linkReference') {
    const label = style.dim(`[${flattenText(node.label ?? node.identifier)}]`)
    return node.referenceType === 'full' ? `${text} ${label}` : text
  }
  const url = flattenText(node.url)
  return text === url || url === '' ? text : `${text} ${style.dim(`(${url})`)}`
}

function flattenText(value: string): string {
  return toPrintableLines(value).replace(/\n/g, ' ')
}
