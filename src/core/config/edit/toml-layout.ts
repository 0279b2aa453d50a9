import { createRequire } from 'node:module'
import type { AST } from 'toml-eslint-parser'
import type { Span } from '../../skills/manifest/source.ts'

/** A key with its value. */
export interface TomlPair {
  path: readonly string[]
  span: Span
  value: Span
  /** Table in whose header or braces the pair stands. */
  owner: TomlBlock
}

/** The top of a file, a table with a header, or an inline table. */
export interface TomlBlock {
  path: readonly string[]
  kind: 'top' | 'header' | 'inline'
  /** Name in the header, or the braces; empty at the top. */
  span: Span
  pairs: TomlPair[]
}

const require = createRequire(import.meta.url)

/** Positions of all keys of a valid TOML text, in the order of the text; lists are omitted. */
export function readTomlLayout(text: string): TomlBlock[] {
  const { parseTOML } = require('toml-eslint-parser') as typeof import('toml-eslint-parser')
  // A BOM is not TOML; a blank keeps the offsets.
  const [body] = parseTOML(text.replace(/^\uFEFF/, ' ')).body
  const top: TomlBlock = { path: [], kind: 'top', span: { start: 0, end: 0 }, pairs: [] }
  const blocks = [top]
  for (const node of body.body) {
    if (node.type === 'TOMLKeyValue') addLayoutPair(blocks, top, node)
    else addLayoutTable(blocks, node)
  }
  return blocks
}

function addLayoutTable(blocks: TomlBlock[], node: AST.TOMLTable): void {
  // An index keeps the tables of a list apart from all settings.
  const path = node.resolvedKey.map((part) => (typeof part === 'number' ? `[${part}]` : part))
  const block: TomlBlock = { path, kind: 'header', span: toTextSpan(node.key), pairs: [] }
  blocks.push(block)
  for (const pair of node.body) addLayoutPair(blocks, block, pair)
}

function addLayoutPair(blocks: TomlBlock[], owner: TomlBlock, node: AST.TOMLKeyValue): void {
  const names = node.key.keys.map((key) => (key.type === 'TOMLBare' ? key.name : key.value))
  const path = [...owner.path, ...names]
  owner.pairs.push({ path, span: toTextSpan(node), value: toTextSpan(node.value), owner })
  if (node.value.type !== 'TOMLInlineTable') return
  const inline: TomlBlock = { path, kind: 'inline', span: toTextSpan(node.value), pairs: [] }
  blocks.push(inline)
  for (const pair of node.value.body) addLayoutPair(blocks, inline, pair)
}

function toTextSpan({ range }: { range: [number, number] }): Span {
  return { start: range[0], end: range[1] }
}
