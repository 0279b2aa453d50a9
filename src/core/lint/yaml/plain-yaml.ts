import { createRequire } from 'node:module'
import type { Document, Node, Pair, Scalar } from 'yaml'
import type { Span } from '../../skills/manifest/source.ts'

const require = createRequire(import.meta.url)

/** YAML in front matter that parsers of a plain subset do not support. */
export interface UnsupportedYaml {
  description: string
  span: Span
}

/**
 * Finds the first construct that minimal YAML parsers reject; undefined if all parsers read the
 * block alike. MCP clients check front matter with such a parser.
 */
export function findUnsupportedYaml(yaml: string): UnsupportedYaml | undefined {
  const { parseDocument, visit } = require('yaml') as typeof import('yaml')
  const document: Document = parseDocument(yaml, { prettyErrors: false })
  if (document.errors.length > 0) return undefined
  let found: UnsupportedYaml | undefined
  const recordFirst = (node: Node, what: string | undefined) => {
    if (what === undefined || found) return
    found = { description: what, span: { start: node.range?.[0] ?? 0, end: node.range?.[1] ?? 1 } }
  }
  const getText = (node: Node) => yaml.slice(node.range?.[0] ?? 0, node.range?.[1] ?? 0)
  visit(document, {
    Alias: (_key, node) => recordFirst(node, 'an alias ("*")'),
    Pair: (_key, pair: Pair) =>
      recordFirst(pair.key as Node, describeKeyProblem(pair.key, getText)),
    Node: (_key, node) => recordFirst(node, describeNodeProblem(node as YamlNode, getText(node))),
  })
  return found
}

type YamlNode = Scalar & { flow?: boolean; items?: readonly unknown[] }

function describeNodeProblem(node: YamlNode, text: string): string | undefined {
  if (node.anchor !== undefined) return 'an anchor ("&")'
  if (node.tag !== undefined && !node.tag.startsWith('tag:yaml.org,2002:')) return 'a tag ("!")'
  return node.items ? describeCollectionProblem(node, text) : describeScalarProblem(node, text)
}

function describeScalarProblem({ type, value }: YamlNode, text: string): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value))
    return 'a number that JSON does not have'
  const isQuoted = type === 'QUOTE_DOUBLE' || type === 'QUOTE_SINGLE'
  if (isQuoted && text.includes('\n')) return 'a quoted string over several lines'
  const isBlock = type === 'BLOCK_LITERAL' || type === 'BLOCK_FOLDED'
  return isBlock && /^[|>][+-]?\d/.test(text) ? 'a number after "|" or ">"' : undefined
}

function describeCollectionProblem({ flow, items }: YamlNode, text: string): string | undefined {
  if (!flow) return undefined
  if (text.includes('\n')) return 'brackets over several lines'
  const isPair = items?.length === 1 && !/^[[{]/.test(text)
  return isPair ? 'a key without braces in a list' : undefined
}

function describeKeyProblem(key: unknown, getText: (node: Node) => string): string | undefined {
  const { value, items } = key as { value?: unknown; items?: unknown }
  if (items !== undefined) return 'a key that is a list or a table'
  if (typeof value !== 'string') return `the key ${getText(key as Node)}, which is not a string`
  return value === '__proto__' ? 'the key "__proto__"' : undefined
}
