import { isNode, type SyntaxNode } from './syntax.ts'

/** Replaces a part of a source text. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly after: string
}

type Operator = (node: SyntaxNode, source: string) => Edit | undefined

/** Each changes the meaning of one node; undefined if it does not apply to the node. */
export const OPERATORS: Readonly<Record<string, Operator>> = {
  'negate condition': (node, source) => {
    if (node.type !== 'IfStatement' && node.type !== 'ConditionalExpression') return undefined
    const { start, end } = node['test'] as SyntaxNode
    return { start, end, after: `!(${source.slice(start, end)})` }
  },
  'change limit': swapOperators({ '<': '<=', '<=': '<', '>': '>=', '>=': '>' }),
  'change logic': swapOperators({ '&&': '||', '||': '&&' }),
  'change equality': swapOperators({ '===': '!==', '!==': '===', '==': '!=', '!=': '==' }),
  'drop call': (node) => {
    if (node.type !== 'ExpressionStatement') return undefined
    const call = unwrapCall(node['expression'] as SyntaxNode)
    const isDroppable = call !== undefined && (call['callee'] as SyntaxNode).type !== 'Super'
    return isDroppable ? { start: node.start, end: node.end, after: ';' } : undefined
  },
  'return early': (node) => {
    const { body } = node
    if (!/^(?:Function|ArrowFunction)/.test(node.type) || !isNode(body)) return undefined
    if (body.type !== 'BlockStatement')
      return isUndefined(body)
        ? undefined
        : { start: body.start, end: body.end, after: 'undefined' }
    const [first] = body['body'] as SyntaxNode[]
    if (!first || (first.type === 'ReturnStatement' && isUndefined(first['argument'])))
      return undefined
    return { start: body.start + 1, end: body.start + 1, after: ' return undefined;' }
  },
  'add one': ({ type, start, end, value }) =>
    type === 'Literal' && typeof value === 'number'
      ? { start, end, after: String(value + 1) }
      : undefined,
  'empty text': ({ type, start, end, value }) =>
    type === 'Literal' && typeof value === 'string' && isNeitherProseNorModule(value)
      ? { start, end, after: "''" }
      : undefined,
  'drop element': (node) => {
    if (node.type !== 'ArrayExpression') return undefined
    const [last, previous] = (node['elements'] as (SyntaxNode | null)[]).toReversed()
    if (!last || previous === null) return undefined
    return { start: previous?.end ?? last.start, end: last.end, after: '' }
  },
  'flip boolean': ({ type, start, end, value }) =>
    type === 'Literal' && typeof value === 'boolean'
      ? { start, end, after: String(!value) }
      : undefined,
}

function swapOperators(swaps: Readonly<Record<string, string>>): Operator {
  return ({ type, operator, left, right }, source) => {
    const after = typeof operator === 'string' ? swaps[operator] : undefined
    const isBinary = type === 'BinaryExpression' || type === 'LogicalExpression'
    if (!isBinary || after === undefined || !isNode(left) || !isNode(right)) return undefined
    const between = source.slice(left.end, right.start)
    // Only parentheses may stand next to the operator: a comment could have the same text.
    if (between.replaceAll(/[\s()]/g, '') !== operator) return undefined
    const start = left.end + between.indexOf(operator)
    return { start, end: start + operator.length, after }
  }
}

function unwrapCall(expression: SyntaxNode): SyntaxNode | undefined {
  if (expression.type === 'CallExpression') return expression
  const isWrapper = expression.type === 'AwaitExpression' || expression.type === 'ChainExpression'
  const inner = expression['argument'] ?? expression['expression']
  return isWrapper && isNode(inner) ? unwrapCall(inner) : undefined
}

function isUndefined(value: unknown): boolean {
  return value === null || (isNode(value) && value['name'] === 'undefined')
}

function isNeitherProseNorModule(text: string): boolean {
  return text !== '' && !/\s|^\.{1,2}\//.test(text)
}
