import { createRequire } from 'node:module'
import type { Node } from 'jsonc-parser'

const require = createRequire(import.meta.url)

/** Formatting of a file. */
interface JsonStyle {
  indent: string
  eol: string
}

/** Detects the indentation and line endings of a file. */
export function detectStyle(text: string): JsonStyle {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  '
  return { indent, eol: text.includes('\r\n') ? '\r\n' : '\n' }
}

/** Adds a member at the end of an object; comments are preserved. */
export function addMember(
  text: string,
  object: Node,
  { key, value, style }: { key: string; value: unknown; style: JsonStyle },
): string {
  const close = object.offset + object.length - 1
  const depth = measureDepth(object)
  const last = object.children?.at(-1)
  const member = `${JSON.stringify(key)}: ${renderValue(value, depth + 1, style)}`
  const hasComma = last !== undefined && hasCommaAfter(text, last, close)
  const head = text.slice(0, close).trimEnd()
  const body = `${style.eol}${style.indent.repeat(depth + 1)}${member}${hasComma ? ',' : ''}`
  const end = `${style.eol}${style.indent.repeat(depth)}${text.slice(close)}`
  if (last === undefined || hasComma) return head + body + end
  const at = last.offset + last.length
  return `${head.slice(0, at)},${head.slice(at)}${body}${end}`
}

export function replaceValue(
  text: string,
  node: Node,
  { value, style }: { value: unknown; style: JsonStyle },
): string {
  const { getNodeValue } = loadJsonc()
  if (JSON.stringify(getNodeValue(node)) === JSON.stringify(value)) return text
  const after = text.slice(node.offset + node.length)
  return text.slice(0, node.offset) + renderValue(value, measureDepth(node), style) + after
}

/** Number of objects and arrays around a value. */
function measureDepth(node: Node): number {
  let depth = 0
  for (let above = node.parent; above; above = above.parent) {
    if (above.type === 'object' || above.type === 'array') depth += 1
  }
  return depth
}

function renderValue(value: unknown, depth: number, { indent, eol }: JsonStyle): string {
  const lines = JSON.stringify(value, null, indent).split('\n')
  return lines.join(eol + indent.repeat(depth))
}

function hasCommaAfter(text: string, last: Node, close: number): boolean {
  const scanner = loadJsonc().createScanner(text, true)
  scanner.setPosition(last.offset + last.length)
  scanner.scan()
  const at = scanner.getTokenOffset()
  return at < close && text[at] === ','
}

function loadJsonc(): typeof import('jsonc-parser') {
  return require('jsonc-parser') as typeof import('jsonc-parser')
}
