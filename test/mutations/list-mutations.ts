import { OPERATORS, type Edit } from './operators.ts'
import { isNode, parseSource, type SyntaxNode } from './syntax.ts'

/** One change of one file. `line`, `before` and `after` are for people. */
export interface Mutation extends Edit {
  readonly file: string
  readonly operator: string
  readonly line: number
  readonly before: string
  /** Equal for the same change of the same line in another version of the file, wherever the line is. */
  readonly key: string
}

/** Lists all mutations of a file, in the order of its text. */
export function listMutations(file: string, source: string): Mutation[] {
  const seen = new Map<string, number>()
  return listCode(parseSource(source, file)).flatMap((node) =>
    Object.entries(OPERATORS).flatMap(([operator, mutate]) => {
      const edit = mutate(node, source)
      if (!edit) return []
      const before = source.slice(edit.start, edit.end)
      const text = [operator, readLine(source, edit.start), before, edit.after].join('\0')
      const occurrence = seen.get(text) ?? 0
      seen.set(text, occurrence + 1)
      const line = source.slice(0, edit.start).split('\n').length
      return [{ ...edit, file, operator, line, before, key: `${text}\0${occurrence}` }]
    }),
  )
}

export function applyEdit(source: string, { start, end, after }: Edit): string {
  return source.slice(0, start) + after + source.slice(end)
}

function readLine(source: string, position: number): string {
  const start = source.lastIndexOf('\n', position - 1) + 1
  return source.slice(start).split('\n', 1)[0]?.trim() ?? ''
}

/** A node and those in it that are executed and are no text for people. */
function listCode(node: SyntaxNode): SyntaxNode[] {
  const children = Object.entries(node)
    .filter(([field]) => !isSkippedField(node, field))
    .flatMap(([, value]) => value)
    .filter(isNode)
  return [node, ...children.filter((child) => !isSkipped(child)).flatMap(listCode)]
}

/** Nodes of TypeScript that contain an expression which is executed. */
const TYPED_EXPRESSIONS = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSInstantiationExpression',
])
const SKIPPED = new Set([
  'ImportDeclaration',
  'ImportExpression',
  'ExportAllDeclaration',
  // Its text is the message of an error.
  'ThrowStatement',
])
/** Properties whose values people read. */
const PROSE =
  /^(?:summary|description|details|explains|message|problem|hint|title|label|reason|placeholder)$/

function isSkipped(node: SyntaxNode): boolean {
  if (node.type.startsWith('TS') && !TYPED_EXPRESSIONS.has(node.type)) return true
  if (SKIPPED.has(node.type) || typeof node['directive'] === 'string') return true
  if (node.type === 'NewExpression') return readName(node['callee']).endsWith('Error')
  if (node.type === 'JSXAttribute') return isNode(node['value']) && node['value'].type === 'Literal'
  return node.type === 'Property' && PROSE.test(readName(node['key']))
}

function isSkippedField(node: SyntaxNode, field: string): boolean {
  if (field === 'key') return node['computed'] !== true
  return field === 'source' && node.type === 'ExportNamedDeclaration'
}

/** The name of an identifier, or the text of a quoted name. */
function readName(node: unknown): string {
  if (!isNode(node)) return ''
  const name = node['name'] ?? node['value']
  return typeof name === 'string' ? name : ''
}
