import { createRequire } from 'node:module'
import { parse, TomlDate, TomlError } from 'smol-toml'
import type { AST } from 'toml-eslint-parser'
import type { Plain, PlainObject, Span, TomlSource } from './source.ts'
import { findDeepToml } from './nesting.ts'
import { PathSpans } from './path-spans.ts'

const require = createRequire(import.meta.url)

/** Parses the values of TOML; positions come from a second parser, on demand. */
export function readToml(file: string, text: string): TomlSource {
  let spans: PathSpans | undefined
  const { data, problem } = parseValues(text)
  return {
    file,
    text,
    data,
    problem,
    locate(path, what) {
      spans ??= problem ? createEmptySpans() : collectSpansSafely(text)
      return spans.locate(path, what)
    },
  }
}

function parseValues(text: string): Pick<TomlSource, 'data' | 'problem'> {
  const deep = findDeepToml(text)
  if (deep !== undefined) {
    const span = { start: deep, end: deep + 1 }
    return { data: {}, problem: { message: 'The file is nested too deeply', span } }
  }
  try {
    return { data: toPlainTable(parse(replaceBom(text))), problem: undefined }
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) {
      return { data: {}, problem: { message: String(thrown), span: { start: 0, end: 0 } } }
    }
    const start = toOffset(text, thrown.line, thrown.column)
    const span = { start, end: Math.min(start + 1, text.length) }
    return { data: {}, problem: { message: formatTomlError(thrown, text, start), span } }
  }
}

/** The parser's message, with the word at its position. */
function formatTomlError(thrown: TomlError, text: string, start: number): string {
  const [first = ''] = thrown.message.replace(/^Invalid TOML document: /, '').split('\n')
  const token = /^[^\s=,#]{1,40}/.exec(text.slice(start, start + 40))?.[0]
  if (token === undefined) return first
  return `${first} at ${token.includes('"') ? `'${token}'` : `"${token}"`}`
}

/**
 * A BOM is reported as a finding; it must not hide the rest of the file. A blank instead of it
 * keeps offsets.
 */
function replaceBom(text: string): string {
  return text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text
}

function toPlainTable(table: object): PlainObject {
  const plain: PlainObject = Object.create(null) as PlainObject
  for (const [key, value] of Object.entries(table)) plain[key] = toPlainValue(value)
  return plain
}

function toPlainValue(value: unknown): Plain {
  if (Array.isArray(value)) return value.map(toPlainValue)
  if (value instanceof TomlDate) return value.toISOString()
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'object' && value !== null) return toPlainTable(value)
  return value as Plain
}

function createEmptySpans(): PathSpans {
  return new PathSpans({ start: 0, end: 0 })
}

/**
 * The second parser passes the characters of a text as arguments, so long texts overflow the stack.
 */
function collectSpansSafely(text: string): PathSpans {
  try {
    return collectTomlSpans(text)
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown
    return createEmptySpans()
  }
}

function collectTomlSpans(text: string): PathSpans {
  const { parseTOML } = require('toml-eslint-parser') as typeof import('toml-eslint-parser')
  const spans = new PathSpans({ start: 0, end: text.length })
  const [top] = parseTOML(replaceBom(text)).body
  for (const node of top.body) {
    if (node.type === 'TOMLKeyValue') addPair(spans, [], node)
    else addTable(spans, node)
  }
  return spans
}

function addTable(spans: PathSpans, table: AST.TOMLTable): void {
  const path = table.resolvedKey.map(String)
  spans.addContainer(path, toSpan(table.key), toSpan(table))
  for (const pair of table.body) addPair(spans, path, pair)
}

function addPair(spans: PathSpans, base: readonly string[], pair: AST.TOMLKeyValue): void {
  const path = [...base]
  for (const key of pair.key.keys) {
    path.push(key.type === 'TOMLBare' ? key.name : key.value)
    spans.addContainer(path, toSpan(key), toSpan(pair.value))
  }
  addValue(spans, path, pair.value)
}

function addValue(spans: PathSpans, path: readonly string[], value: AST.TOMLContentNode): void {
  if (value.type === 'TOMLInlineTable') {
    for (const pair of value.body) addPair(spans, path, pair)
  } else if (value.type === 'TOMLArray') {
    for (const [index, element] of value.elements.entries()) {
      const at = [...path, String(index)]
      spans.addContainer(at, toSpan(element), toSpan(element))
      addValue(spans, at, element)
    }
  }
}

function toSpan(node: { range: [number, number] }): Span {
  return { start: node.range[0], end: node.range[1] }
}

/** UTF-16 offset of a line and column, both counted from 1, limited to the text's length. */
function toOffset(text: string, line: number, column: number): number {
  let start = 0
  for (let at = 1; at < line; at++) {
    const next = text.indexOf('\n', start)
    if (next === -1) return text.length
    start = next + 1
  }
  return Math.min(start + column - 1, text.length)
}
