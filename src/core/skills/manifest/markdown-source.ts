import { createRequire } from 'node:module'
import type { Document, Node, Pair, Scalar } from 'yaml'
import type { MarkdownSource, Plain, PlainObject, Span, SyntaxProblem } from './source.ts'
import { findDeepYaml, mayNestInLine } from './nesting.ts'
import { PathSpans } from './path-spans.ts'
import { quoteColonValues } from './yaml/quote-colon-values.ts'

const require = createRequire(import.meta.url)

/** Longer front matter is rejected before parsing: real front matter has a few hundred bytes. */
const MAX_FRONT_MATTER = 64 * 1024

/** Splits SKILL.md into front matter and body, and parses the front matter. */
export function readMarkdown(file: string, text: string): MarkdownSource {
  const block = findFrontMatter(text)
  const { data, problem, repaired } = block
    ? parseFrontMatterBlock(text, block)
    : { data: {}, problem: undefined }
  let spans: PathSpans | undefined
  return {
    file,
    text,
    bodyStart: block?.end ?? 0,
    frontMatter: {
      present: block !== undefined,
      data,
      problem,
      repaired,
      span: block ? { start: block.start, end: block.end } : { start: 0, end: 0 },
      locate(path, what) {
        if (!block) return { start: 0, end: 0 }
        if (isSafeToParse(text, block, (problem ?? repaired) === undefined)) {
          spans ??= collectYamlSpans(text.slice(block.yamlStart, block.yamlEnd), block.yamlStart)
        }
        const found = spans?.locate(path, what)
        return found && found.end > 0 ? found : { start: block.start, end: block.start + 3 }
      },
    },
  }
}

/** Offset at which the body begins, without parsing the front matter. */
export function findBodyStart(text: string): number {
  return findFrontMatter(text)?.end ?? 0
}

interface FrontMatterBlock extends Span {
  yamlStart: number
  yamlEnd: number
  /** Text after the opening fence, such as `js`. */
  language: string
  closed: boolean
}

function findFrontMatter(text: string): FrontMatterBlock | undefined {
  const start = text.startsWith('\uFEFF') ? 1 : 0
  if (!text.startsWith('---', start) || text[start + 3] === '-') return undefined
  const lineEnd = text.indexOf('\n', start)
  const yamlStart = lineEnd === -1 ? text.length : lineEnd + 1
  const language = text.slice(start + 3, lineEnd === -1 ? undefined : lineEnd).trim()
  const closing = /^---[ \t]*\r?$/gm
  closing.lastIndex = yamlStart
  const found = closing.exec(text)
  if (!found)
    return { start, end: text.length, yamlStart, yamlEnd: text.length, language, closed: false }
  const after = text.indexOf('\n', found.index)
  const end = after === -1 ? text.length : after + 1
  return { start, end, yamlStart, yamlEnd: found.index, language, closed: true }
}

interface ParsedFrontMatter {
  data: PlainObject
  problem: SyntaxProblem | undefined
  repaired?: SyntaxProblem
}

function parseFrontMatterBlock(
  text: string,
  block: FrontMatterBlock,
): ParsedFrontMatter {
  const fence = { start: block.start, end: block.start + 3 + block.language.length }
  const reject = (message: string, span: Span = fence) => ({ data: {}, problem: { message, span } })
  if (block.language && block.language !== 'yaml') {
    return reject(`Front matter in "${block.language}" is never evaluated, expected plain YAML`)
  }
  if (!block.closed) return reject('The front matter is not closed, expected a line "---"')
  if (block.yamlEnd - block.yamlStart > MAX_FRONT_MATTER) {
    return reject(
      `The front matter has ${block.yamlEnd - block.yamlStart} characters, expected at most ${MAX_FRONT_MATTER}`,
    )
  }
  const yaml = text.slice(block.yamlStart, block.yamlEnd)
  const stray = /^---/m.exec(yaml)
  if (stray) {
    const start = block.yamlStart + stray.index
    return reject('A line inside the front matter begins with "---", which would end it', {
      start,
      end: start + 3,
    })
  }
  const deep = findDeepYaml(yaml)
  if (deep !== undefined) {
    const start = block.yamlStart + deep
    return reject('The front matter is nested too deeply', { start, end: start + 1 })
  }
  try {
    return parseMapping(yaml) ?? reject('The front matter is not a mapping of keys to values')
  } catch (thrown) {
    const problem = toYamlProblem(yaml, block.yamlStart, thrown)
    const data = parseWithQuotes(yaml)
    return data ? { data, problem: undefined, repaired: problem } : { data: {}, problem }
  }
}

/** Undefined if the YAML is not a mapping; throws if it is invalid. */
function parseMapping(yaml: string): ParsedFrontMatter | undefined {
  const plain = parsePlainYaml(yaml)
  if (plain) return { data: plain, problem: undefined }
  const data = parseWithGrayMatter(yaml)
  if (data === undefined || data === null) return { data: {}, problem: undefined }
  if (typeof data !== 'object' || Array.isArray(data)) return undefined
  return { data: toPlain(data) as PlainObject, problem: undefined }
}

/** Reads invalid YAML with quotes around values that contain a colon. */
function parseWithQuotes(yaml: string): PlainObject | undefined {
  const quoted = quoteColonValues(yaml)
  if (quoted === undefined) return undefined
  try {
    return parseMapping(quoted)?.data
  } catch {
    return undefined
  }
}

/**
 * Front matter that was rejected for its size or depth is not parsed for positions either, nor is
 * invalid front matter that might be deeply nested: the parser that provides positions continues
 * after syntax errors.
 */
function isSafeToParse(text: string, block: FrontMatterBlock, isValid: boolean): boolean {
  if (block.yamlEnd - block.yamlStart > MAX_FRONT_MATTER) return false
  const yaml = text.slice(block.yamlStart, block.yamlEnd)
  return isValid || (findDeepYaml(yaml) === undefined && !mayNestInLine(yaml))
}

/**
 * Uses gray-matter with every engine but YAML disabled, and without its cache, which returns
 * damaged copies.
 */
function parseWithGrayMatter(yaml: string): unknown {
  const matter = require('gray-matter') as typeof import('gray-matter')
  const throwNever = (): never => {
    throw new Error('Front matter is never evaluated')
  }
  const engines = { js: throwNever, javascript: throwNever, coffee: throwNever, coffeescript: throwNever, cson: throwNever }
  return matter(`---\n${yaml}\n---\n`, { engines, language: 'yaml' }).data
}

/** Copies parsed YAML; the number of copied values is limited because of alias bombs. */
function toPlain(value: unknown): Plain {
  let budget = 20_000
  return copy(value, 0)

  function copy(part: unknown, depth: number): Plain {
    budget -= 1
    if (budget < 0) throw new Error('The front matter expands to too many values')
    if (depth > 32) throw new Error('The front matter is nested too deeply')
    if (Array.isArray(part)) return part.map((each) => copy(each, depth + 1))
    if (part instanceof Date) return part.toISOString().replace(/T00:00:00\.000Z$/, '')
    if (typeof part === 'object' && part !== null) {
      const result: PlainObject = Object.create(null) as PlainObject
      for (const [key, each] of Object.entries(part)) result[key] = copy(each, depth + 1)
      return result
    }
    return part === undefined ? null : (part as Plain)
  }
}

function toYamlProblem(yaml: string, base: number, thrown: unknown): SyntaxProblem {
  const [error] = mayNestInLine(yaml) ? [] : listYamlErrors(yaml)
  if (error) {
    const [start, end] = error.pos
    return {
      message: toSentence(error.message),
      span: { start: base + start, end: base + Math.max(end, start + 1) },
    }
  }
  const mark = (thrown as { mark?: { position?: number } }).mark?.position
  const reason = (thrown as { reason?: string }).reason ?? (thrown as Error).message
  // gray-matter's text begins with the line break after its fence: one character more than this
  // text.
  const start = base + Math.min(Math.max((mark ?? 1) - 1, 0), yaml.length)
  return { message: toSentence(reason), span: { start, end: start + 1 } }
}

function listYamlErrors(yaml: string) {
  const { parseDocument } = require('yaml') as typeof import('yaml')
  return parseDocument(yaml, { prettyErrors: false, maxAliasCount: 0 } as object).errors
}

function toSentence(text: string): string {
  const [first = ''] = text.split('\n')
  return first.charAt(0).toUpperCase() + first.slice(1)
}

function collectYamlSpans(yaml: string, base: number): PathSpans {
  const { parseDocument, visit } = require('yaml') as typeof import('yaml')
  const spans = new PathSpans({ start: base, end: base + yaml.length })
  const document: Document = parseDocument(yaml, { prettyErrors: false })
  const paths = new Map<unknown, readonly string[]>([[document.contents, []]])
  visit(document, {
    Pair(_key, pair: Pair, ancestors) {
      const parent = findParentPath(ancestors)
      const key = pair.key as Scalar
      const path = [...parent, formatKey(key)]
      paths.set(pair, path)
      spans.addContainer(path, toSpan(key, base), toSpan((pair.value ?? key) as Node, base))
    },
    Seq(_key, seq, ancestors) {
      const parent = findParentPath(ancestors)
      for (const [index, item] of seq.items.entries()) {
        const path = [...parent, String(index)]
        paths.set(item, path)
        spans.addContainer(path, toSpan(item as Node, base), toSpan(item as Node, base))
      }
    },
  })
  return spans

  function findParentPath(ancestors: readonly unknown[]): readonly string[] {
    return (
      paths.get(ancestors.findLast((each) => paths.has(each) && each !== document.contents)) ?? []
    )
  }
}

function formatKey(key: Scalar | null): string {
  const value = key?.value
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function toSpan(node: Node | null | undefined, base: number): Span {
  const range = (node as { range?: readonly number[] } | null)?.range
  if (!range) return { start: base, end: base }
  return { start: base + (range[0] ?? 0), end: base + (range[1] ?? 0) }
}

/** A key and a text on one line, without characters that YAML refuses or that are rare. */
const LINE = createLinePattern()
/** Words that are not texts, and texts that end before the end of the line. */
const NOT_TEXT = /^(?:null|true|false)$|: | #|[: ]$/i

/**
 * Parses YAML that has nothing but lines `key: text`, as most front matter. Undefined for all other
 * YAML, and for all that YAML refuses: only then its parser is loaded, which takes longer than to
 * read hundreds of skills.
 */
export function parsePlainYaml(yaml: string): PlainObject | undefined {
  const data: PlainObject = Object.create(null) as PlainObject
  for (const line of yaml.split('\n')) {
    if (line === '') continue
    const [, key = '', plain, double, single] = LINE.exec(line) ?? []
    const text = plain ?? double ?? single
    if (text === undefined || key in data || NOT_TEXT.test(key)) return undefined
    if (plain !== undefined && NOT_TEXT.test(plain)) return undefined
    data[key] = text
  }
  return data
}

function createLinePattern(): RegExp {
  // Control characters, separators of lines, private characters, and parts of others.
  const rare = String.raw`\0-\x1f\x7f-\xa0\u2028\u2029\ud800-\uf8ff\ufe00-\uffff`
  const plain = String.raw`[A-Za-z\u00c0-\u1fff\u3040-\ud7ff][^${rare}]*`
  const double = String.raw`"([^"\\${rare}]*)"`
  return new RegExp(`^([A-Za-z][\\w-]{0,63}): (?:(${plain})|${double}|'([^'${rare}]*)')$`)
}
