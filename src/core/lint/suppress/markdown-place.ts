import type { Nodes, Root } from 'mdast'
import type { LineIndex } from '../../../util/line-index.ts'
import type { CommentPlace } from './comment-syntax.ts'

export type MarkdownParser = (body: string) => Root

/** Blocks that may follow a comment without an empty line. */
const BLOCKS_OF_LINES: ReadonlySet<string> = new Set(['heading', 'definition', 'thematicBreak'])

/** Finds the place for a finding on a line of a body that begins on line `first` of the file. */
export function findMarkdownPlace(
  lines: LineIndex,
  root: Root,
  { line, first }: { line: number; first: number },
): CommentPlace {
  const block = canHoldComment(lines.getLine(line)) && findBlock(root, line - first + 1)
  if (!block || !block.position) return 'file'
  const start = block.position.start.line + first - 1
  // A comment cannot stand before the text of a list item or of a quote.
  const lead = lines.getLine(start).slice(0, block.position.start.column - 1)
  const canPrecede = lead.trim() === '' && precedesBlock(lines, block.type, { line, start, first })
  if (canPrecede) return 'before'
  return block.type === 'paragraph' ? findPlaceInParagraph(lines, block, { line, first }) : 'file'
}

/** True if a comment can stand before a block and then covers the line of a finding. */
function precedesBlock(
  lines: LineIndex,
  type: Nodes['type'],
  { line, start, first }: { line: number; start: number; first: number },
): boolean {
  if (type === 'code') return isFence(lines.getLine(start))
  if (start !== line) return false
  return (
    BLOCKS_OF_LINES.has(type) || (type === 'paragraph' && startsAfterBlank(lines, start, first))
  )
}

function startsAfterBlank(lines: LineIndex, start: number, first: number): boolean {
  return start === first || lines.getLine(start - 1).trim() === ''
}

/** A comment before a fence covers the block. Indented code has no such comment. */
function isFence(text: string): boolean {
  return /^\s*(?:`{3}|~{3})/.test(text)
}

/** The end of the line, except in code, at a line break, and in the head of a table. */
function findPlaceInParagraph(
  lines: LineIndex,
  block: Nodes,
  { line, first }: { line: number; first: number },
): CommentPlace {
  // More cells in the head of a table than in its rule end the table.
  if (lines.getLine(line).endsWith('\\') || isTableRule(lines.getLine(line + 1))) return 'file'
  return hasInlineCodeOver(block, line - first + 1) ? 'file' : 'end'
}

/** Line for a comment that precedes the block of a finding: that of the fence for a code block. */
export function findBlockStart(
  root: Root,
  { line, first }: { line: number; first: number },
): number {
  const block = findBlock(root, line - first + 1)
  return block?.type === 'code' && block.position ? block.position.start.line + first - 1 : line
}

function canHoldComment(text: string): boolean {
  return text.trim() !== '' && !isTableRule(text)
}

function isTableRule(text: string): boolean {
  return /^[\s|:-]*-[\s|:-]*$/.test(text) && text.includes('|')
}

/** Finds the innermost block of a line. */
function findBlock(node: Nodes, line: number): Nodes | undefined {
  if (!contains(node, line)) return undefined
  if (!('children' in node) || node.type === 'paragraph' || node.type === 'heading') return node
  for (const child of node.children) {
    const found = findBlock(child, line)
    if (found) return found
  }
  return undefined
}

function contains({ position }: Nodes, line: number): boolean {
  return position !== undefined && position.start.line <= line && line <= position.end.line
}

/** True if `code` in a paragraph extends over the end of a line. */
function hasInlineCodeOver(node: Nodes, line: number): boolean {
  const { position } = node
  if (node.type === 'inlineCode' || node.type === 'html' || node.type === 'link')
    return position !== undefined && position.start.line <= line && position.end.line > line
  return 'children' in node && node.children.some((child) => hasInlineCodeOver(child, line))
}
