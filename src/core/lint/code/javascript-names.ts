import type { NamedSpan } from './code-facts.ts'
import {
  getDottedName,
  getIdentifier,
  getMember,
  getPropertyName,
  listBoundNames,
  listMembers,
  type FileTree,
  type TreeNode,
} from './javascript-tree.ts'
import { toSpan, type FileNames } from './javascript-scope.ts'

const MODULE_STATEMENTS = [
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportDefaultDeclaration',
  'ExportAllDeclaration',
]

/** Names of CommonJS, which a module does not have. */
const COMMON_NAMES = new Set(['require', 'module', 'exports', '__filename', '__dirname'])

/** Names of browsers and of test programs, in code that is passed to them. */
const ELSEWHERE =
  /^(?:window|document|location|self|history|alert|HTML\w*|SVG\w*|Node\w*|Element|\w*Event|\w*Observer|getComputedStyle|\w*AnimationFrame|\w*Storage|XMLHttpRequest|FileReader|Image|Deno|Bun|jQuery|\$|chrome|browser|describe|it|test|expect|(?:before|after)(?:Each|All)?|jest|vi|undefined|arguments|WebSocket|Iterator)$/

/** Names that a file reads, and that neither it nor Node defines. */
export function findUndefinedNames(
  root: TreeNode,
  tree: FileTree,
  { counts }: FileNames,
): NamedSpan[] {
  const isModule = tree(...MODULE_STATEMENTS).length > 0
  const own = tree('FunctionExpression', 'ClassExpression').map(({ node }) =>
    getIdentifier(getMember(node, 'id')),
  )
  const known = new Set<string | undefined>([...counts.keys(), ...own])
  // The file asks whether these exist.
  for (const { node } of tree('UnaryExpression')) {
    if (node['operator'] === 'typeof') known.add(getIdentifier(getMember(node, 'argument')))
  }
  // In CommonJS, an assignment without a declaration creates a global.
  if (!isModule) {
    for (const { node } of tree('AssignmentExpression', 'ForInStatement', 'ForOfStatement')) {
      for (const each of listBoundNames(getMember(node, 'left'))) known.add(getIdentifier(each))
    }
  }
  const found = new Map<string, NamedSpan>()
  visitReads(root, (node) => {
    const name = node['name'] as string
    if (known.has(name) || found.has(name) || ELSEWHERE.test(name)) return
    if (COMMON_NAMES.has(name) ? !isModule : name in globalThis) return
    found.set(name, { name, span: toSpan(node) })
  })
  return [...found.values()]
}

/** Members that hold names which are no reads of a variable. */
const LABELS: Readonly<Record<string, readonly string[]>> = {
  LabeledStatement: ['label'],
  BreakStatement: ['label'],
  ContinueStatement: ['label'],
  MetaProperty: ['meta', 'property'],
  ImportSpecifier: ['imported', 'local'],
  ExportSpecifier: ['exported'],
  ExportAllDeclaration: ['exported'],
}

/** Calls back with each identifier that is read, in the order of the text. */
// eslint-disable-next-line complexity -- one case for each place of a name that is not read
export function visitReads(
  node: TreeNode,
  onRead: (node: TreeNode, parents: readonly TreeNode[]) => void,
  parents: TreeNode[] = [],
): void {
  if (node.type === 'Identifier') return onRead(node, parents)
  // `typeof x` also reads a name that does not exist.
  if (node.type === 'UnaryExpression' && node['operator'] === 'typeof') {
    if (getMember(node, 'argument')?.type === 'Identifier') return
  }
  const hasKey = /^(?:Property|MethodDefinition|PropertyDefinition)$/.test(node.type)
  const isElsewhere = node.type === 'ExportNamedDeclaration' && getMember(node, 'source')
  parents.push(node)
  for (const member in node) {
    const isName =
      node['computed'] !== true && (member === 'property' || (hasKey && member === 'key'))
    if (isName && node.type !== 'ExpressionStatement') continue
    if (LABELS[node.type]?.includes(member) || (isElsewhere && member === 'specifiers')) continue
    for (const child of listMembers(node, member)) visitReads(child, onRead, parents)
  }
  parents.pop()
}

/** Names that a file exports; undefined if its text does not show them. */
export function listExports(tree: FileTree, { constants }: FileNames): string[] | undefined {
  if (tree('ExportAllDeclaration').length > 0) return undefined
  const names: string[] = []
  for (const { node } of tree('ExportNamedDeclaration')) {
    const declared = getMember(node, 'declaration')
    const bound =
      declared?.type === 'VariableDeclaration' ? listMembers(declared, 'declarations') : [declared]
    names.push(...bound.flatMap((each) => listBoundNames(getMember(each, 'id'))).map(readName))
    names.push(
      ...listMembers(node, 'specifiers').map((each) => readName(getMember(each, 'exported'))),
    )
  }
  for (const { node } of tree('ExportDefaultDeclaration')) {
    names.push('default')
    const keys = listObjectKeys(getMember(node, 'declaration'), constants)
    if (!keys) return undefined
    names.push(...keys)
  }
  return addCommonExports(tree, constants, names)
}

function readName(node: TreeNode | undefined): string {
  return getIdentifier(node) ?? String(node?.['value'])
}

/** Adds those of CommonJS. */
function addCommonExports(
  tree: FileTree,
  constants: FileNames['constants'],
  names: string[],
): string[] | undefined {
  let isCommon = false
  for (const { node } of tree('AssignmentExpression')) {
    const target = getDottedName(getMember(node, 'left'))
    const [, name] = /^(?:module\.)?exports(?:\.([\w$]+))?$/.exec(target ?? '') ?? []
    if (!/^(?:module\.)?exports\b/.test(target ?? '')) continue
    isCommon = true
    const keys = name === undefined ? listObjectKeys(getMember(node, 'right'), constants) : [name]
    if (!keys) return undefined
    names.push(...keys)
  }
  // Other uses of `exports`, such as Object.assign, may add any name.
  return !isCommon &&
    tree('MemberExpression').some(({ node }) => getDottedName(node) === 'module.exports')
    ? undefined
    : names
}

/** Keys of an object; none for a function or a class; undefined if they are not known. */
function listObjectKeys(
  node: TreeNode | undefined,
  constants: FileNames['constants'],
): string[] | undefined {
  if (/^(?:Arrow)?Function|^Class/.test(node?.type ?? '')) return []
  const value = node?.type === 'Identifier' ? constants.get(readName(node)) : node
  if (value?.type !== 'ObjectExpression') return undefined
  const keys = listMembers(value, 'properties').map(getPropertyName)
  return keys.every((key) => key !== undefined) ? keys : undefined
}
