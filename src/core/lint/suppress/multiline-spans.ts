import { createRequire } from 'node:module'
import type { Span } from '../../skills/manifest/source.ts'
import { findMultilineStrings } from '../text-spans.ts'
import type { FileFamily } from './comment-syntax.ts'

const require = createRequire(import.meta.url)

/**
 * Finds the spans over several lines in which a comment would be data: strings, templates, here
 * documents, inline script metadata. Undefined if the text does not parse.
 */
export function findMultilineSpans(text: string, family: FileFamily): Span[] | undefined {
  if (family === 'toml') return findMultilineStrings(text, 'a.toml')
  if (family === 'python') {
    const metadata = [...text.matchAll(/^# \/\/\/ [\w-]+[ \t]*\r?\n(?:#.*\r?\n)*?# \/\/\//gm)]
    return [...findMultilineStrings(text, 'a.py'), ...metadata.map(spanMatch)]
  }
  if (family === 'yaml') return findYamlScalars(text)
  return family === 'shell' ? findShellStrings(text) : findTemplates(text)
}

function spanMatch({ index, 0: whole }: RegExpMatchArray): Span {
  return { start: index ?? 0, end: (index ?? 0) + whole.length }
}

function findYamlScalars(text: string): Span[] | undefined {
  const { parseAllDocuments, visit } = require('yaml') as typeof import('yaml')
  const documents = parseAllDocuments(text, { prettyErrors: false })
  if (!Array.isArray(documents) || documents.some(({ errors }) => errors.length > 0))
    return undefined
  const spans: Span[] = []
  for (const document of documents) {
    visit(document, {
      Scalar(_key, { range }) {
        if (range && text.slice(range[0], range[1]).trimEnd().includes('\n'))
          spans.push({ start: range[0], end: range[1] })
      },
    })
  }
  return spans
}

/** Tokens of shell scripts, the longest first: here documents, comments, quotes, escapes. */
const SHELL_TOKEN =
  /<<<|<<-?[ \t]*(?:'([^'\n]+)'|"([^"\n]+)"|\\?([A-Za-z_]\w*))|(?<=^|[\s;(])#[^\n]*|\\[^]|\$?'|"/gm

function findShellStrings(text: string): Span[] {
  const spans: Span[] = []
  const tokens = new RegExp(SHELL_TOKEN)
  for (let match = tokens.exec(text); match; match = tokens.exec(text)) {
    const delimiter = match[1] ?? match[2] ?? match[3]
    const end =
      delimiter === undefined
        ? findQuoteEnd(text, match)
        : findHereDocumentEnd(text, tokens.lastIndex, delimiter)
    if (end === undefined) continue
    spans.push({ start: match.index, end })
    tokens.lastIndex = end
  }
  return spans
}

function findQuoteEnd(text: string, match: RegExpExecArray): number | undefined {
  const [mark] = match
  const from = match.index + mark.length
  const closing = { "'": /'/g, "$'": /(?:[^'\\]|\\[^])*'/gy, '"': /(?:[^"\\]|\\[^])*"/gy }[mark]
  if (!closing) return undefined
  closing.lastIndex = from
  return closing.exec(text) ? closing.lastIndex : text.length
}

function findHereDocumentEnd(text: string, from: number, delimiter: string): number {
  for (let start = text.indexOf('\n', from) + 1; start > 0; start = text.indexOf('\n', start) + 1) {
    const end = text.indexOf('\n', start)
    const line = text.slice(start, end === -1 ? undefined : end)
    // The line of the delimiter is part of the document: a comment cannot stand before it.
    if (line.trim() === delimiter) return start + line.length
    if (end === -1) break
  }
  return text.length
}

/** Tokens of JavaScript: comments, strings, templates and regular expressions. */
const SCRIPT_TOKEN =
  /\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?|`|(?<=(?:^|[=(:,;!&|?{}[+\-*%<>~^]|\breturn|\btypeof|\bcase)\s*)\/(?![*/])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/|[{}]/gm

/** An open template, with the number of open braces inside its `${`. */
interface OpenTemplate {
  start: number
  depth: number
}

function findTemplates(text: string): Span[] {
  const spans: Span[] = []
  const open: OpenTemplate[] = []
  const tokens = new RegExp(SCRIPT_TOKEN)
  for (let match = tokens.exec(text); match; match = tokens.exec(text)) {
    const [token] = match
    if (token.startsWith('/*')) spans.push({ start: match.index, end: tokens.lastIndex })
    if (token === '`') open.push({ start: match.index, depth: 0 })
    else if (!returnsToTemplate(open.at(-1), token)) continue
    tokens.lastIndex = skipTemplateText(text, tokens.lastIndex)
    if (text.startsWith('${', tokens.lastIndex - 2)) continue
    const { start } = open.pop() as OpenTemplate
    spans.push({ start, end: tokens.lastIndex })
    if (tokens.lastIndex >= text.length) break
  }
  for (const { start } of open) spans.push({ start, end: text.length })
  return spans
}

/** Counts braces; true for the one that ends the `${` of a template. */
function returnsToTemplate(template: OpenTemplate | undefined, token: string): boolean {
  if (!template) return false
  if (token === '{') template.depth += 1
  if (token !== '}') return false
  template.depth -= 1
  if (template.depth >= 0) return false
  template.depth = 0
  return true
}

/** Offset after the next backtick or `${`. */
function skipTemplateText(text: string, from: number): number {
  const end = /(?:[^`\\$]|\\[^]|\$(?!\{))*(?:`|\$\{)/y
  end.lastIndex = from
  return end.test(text) ? end.lastIndex : text.length
}
