import { listSourceTypes, parseAs, ParserLimit } from '../../core/lint/code/javascript-parser.ts'
import { visitTree, type VisitedNode } from '../../core/lint/code/javascript-tree.ts'
import { openTypeStripper, stripUntilClean } from '../../core/lint/code/typescript-parser.ts'
import { LineIndex } from '../../util/line-index.ts'

/** The start of a statement. */
export interface StatementStart {
  offset: number
  /** From 1. */
  line: number
  /** From 0. */
  column: number
}

/** Statements that do something where they stand; functions and classes are counted by their content. */
const STATEMENTS = [
  'ExpressionStatement',
  'VariableDeclaration',
  'ReturnStatement',
  'IfStatement',
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
  'WhileStatement',
  'DoWhileStatement',
  'SwitchStatement',
  'ThrowStatement',
  'TryStatement',
  'BreakStatement',
  'ContinueStatement',
]

/** Parses JavaScript and TypeScript without executing anything. */
export async function openStatementParser() {
  const acorn = await import('acorn')
  const stripper = openTypeStripper()
  /** Returns undefined for a file that is not valid. */
  return (path: string, text: string): StatementStart[] | undefined => {
    try {
      const plain = /\.[cm]?ts$/.test(path) ? stripUntilClean(stripper, { path, text }) : { code: text }
      if ('message' in plain) return undefined
      const tree = parseAs(acorn, plain.code, listSourceTypes(path))
      if ('message' in tree) return undefined
      const lines = new LineIndex(text)
      return listStarts(visitTree(tree)(...STATEMENTS, 'ArrowFunctionExpression')).map((offset) => {
        const { line, column } = lines.positionAt(offset)
        return { offset, line, column: column - 1 }
      })
    } catch (thrown) {
      if (thrown instanceof ParserLimit || thrown instanceof RangeError) return undefined
      throw thrown
    }
  }
}

function listStarts(nodes: readonly VisitedNode[]): number[] {
  return nodes.flatMap(({ node, parent }) => {
    if (node.type === 'ArrowFunctionExpression') {
      const body = node['body'] as { type: string; start: number }
      return body.type === 'BlockStatement' ? [] : [body.start]
    }
    const isDirective = node['directive'] !== undefined
    const isHead = (parent?.type ?? '').startsWith('For') && parent?.['body'] !== node
    return isDirective || isHead ? [] : [node.start]
  })
}
