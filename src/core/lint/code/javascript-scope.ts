import type { FileTree, TreeNode } from './javascript-tree.ts'
import {
  getIdentifier,
  getMember,
  getText,
  getQuasi,
  listBoundNames,
  listMembers,
} from './javascript-tree.ts'
import type { TextPrefix } from './url-origin.ts'

/** Names of a file, without regard to blocks: a name with two declarations has no known value. */
export interface FileNames {
  /** Number of declarations by name. */
  counts: ReadonlyMap<string, number>
  /** Values of `const`, by name. */
  constants: ReadonlyMap<string, TreeNode>
  /** True if a function has a parameter of this name, as bundlers write for `require`. */
  parameters: ReadonlySet<string>
}

export function collectNames(tree: FileTree): FileNames {
  const counts = new Map<string, number>()
  const constants = new Map<string, TreeNode>()
  const parameters = new Set<string>()
  const declare = (node: TreeNode | undefined, isParameter = false) => {
    for (const bound of listBoundNames(node)) {
      const name = bound['name'] as string
      counts.set(name, (counts.get(name) ?? 0) + 1)
      if (isParameter) parameters.add(name)
    }
  }
  for (const { node } of tree(...FUNCTIONS)) {
    for (const parameter of listMembers(node, 'params')) declare(parameter, true)
  }
  for (const { node } of tree('CatchClause')) declare(getMember(node, 'param'))
  for (const { node } of tree('FunctionDeclaration', 'ClassDeclaration', 'VariableDeclarator')) {
    declare(getMember(node, 'id'))
  }
  for (const { node } of tree(...IMPORTED)) declare(getMember(node, 'local'))
  for (const { node, parent } of tree('VariableDeclarator')) {
    const name = getIdentifier(getMember(node, 'id'))
    const value = getMember(node, 'init')
    if (name && value && parent?.['kind'] === 'const') constants.set(name, value)
  }
  return { counts, constants, parameters }
}

const FUNCTIONS = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']
const IMPORTED = ['ImportSpecifier', 'ImportDefaultSpecifier', 'ImportNamespaceSpecifier']

/** The value of a constant that is declared once. */
function findConstant({ counts, constants }: FileNames, name: string): TreeNode | undefined {
  return counts.get(name) === 1 ? constants.get(name) : undefined
}

/** Number of names that are followed to the literal with the beginning of a text. */
const MAX_STEPS = 8

/** The literal at the beginning of a text, through constants, templates, `+` and `new URL`. */
export function findTextPrefix(
  node: TreeNode | undefined,
  names: FileNames,
  steps = 0,
): TextPrefix | undefined {
  if (!node || steps > MAX_STEPS) return undefined
  const follow = (next: TreeNode | undefined) => findTextPrefix(next, names, steps + 1)
  const text = getText(node)
  if (text !== undefined) return { text, isComplete: true, span: toSpan(node) }
  if (node.type === 'TemplateLiteral') return findTemplatePrefix(node, follow)
  if (node.type === 'BinaryExpression' && node['operator'] === '+') {
    return extendPrefix(follow(getMember(node, 'left')), follow(getMember(node, 'right')))
  }
  if (node.type === 'Identifier') return follow(findConstant(names, node['name'] as string))
  const isUrl = node.type === 'NewExpression' && getIdentifier(getMember(node, 'callee')) === 'URL'
  if (!isUrl) return undefined
  const [address, base] = listMembers(node, 'arguments')
  return follow(base ?? address)
}

function findTemplatePrefix(
  node: TreeNode,
  follow: (next: TreeNode | undefined) => TextPrefix | undefined,
): TextPrefix | undefined {
  const [first, second] = listMembers(node, 'quasis')
  const text = getQuasi(first) ?? ''
  if (text !== '' && first) return { text, isComplete: false, span: toSpan(first) }
  const next = getQuasi(second) ?? ''
  const hasMore = next === '' && listMembers(node, 'expressions').length === 1
  const rest = second && { text: next, isComplete: hasMore, span: toSpan(second) }
  return extendPrefix(follow(listMembers(node, 'expressions')[0]), rest)
}

/** A text and the one after it: the first is complete where the second begins with a separator. */
function extendPrefix(
  first: TextPrefix | undefined,
  second: TextPrefix | undefined,
): TextPrefix | undefined {
  if (!first?.isComplete) return first
  const endsHost =
    second !== undefined &&
    (/^[/?#]/.test(second.text) || (second.text === '' && second.isComplete))
  return { ...first, isComplete: endsHost }
}

export function toSpan({ start, end }: TreeNode): { start: number; end: number } {
  return { start, end }
}
