import type { Node } from 'acorn'

/** A node with its own members; the parser's types do not name those of a general node. */
export interface TreeNode extends Node {
  [member: string]: unknown
}

/** A visited node and what is around it. */
export interface VisitedNode {
  node: TreeNode
  parent: TreeNode | undefined
  /** True in the block of a `try`, whose errors the code handles. */
  isTried: boolean
}

/** Nodes of a file by type, in the order of the text. */
export type FileTree = (...types: string[]) => readonly VisitedNode[]

/** Visits a tree once. The parser has limited its depth. */
export function visitTree(root: Node): FileTree {
  const byType = new Map<string, VisitedNode[]>()
  visitNode({ node: root as TreeNode, parent: undefined, isTried: false }, byType)
  return (...types) => {
    const lists = types.map((type) => byType.get(type) ?? [])
    if (lists.length === 1) return lists[0] as VisitedNode[]
    return lists.flat().sort((a, b) => a.node.start - b.node.start)
  }
}

/** Leaves are the greater part of a tree, and are read through their parents. */
const LEAVES = new Set(['Identifier', 'Literal', 'TemplateElement', 'PrivateIdentifier'])

function visitNode(visited: VisitedNode, byType: Map<string, VisitedNode[]>): void {
  const { node, isTried } = visited
  const list = byType.get(node.type)
  if (list) list.push(visited)
  else byType.set(node.type, [visited])
  for (const member in node) {
    const value = node[member]
    if (typeof value !== 'object' || value === null) continue
    const inBlock = isTried || (node.type === 'TryStatement' && member === 'block')
    const children = Array.isArray(value) ? value : [value]
    for (const child of children) {
      if (!isNode(child) || LEAVES.has(child.type)) continue
      visitNode({ node: child, parent: node, isTried: inBlock }, byType)
    }
  }
}

function listNodes(value: unknown): TreeNode[] {
  return Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []
}

function isNode(value: unknown): value is TreeNode {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}

export function getMember(node: TreeNode | undefined, name: string): TreeNode | undefined {
  const value = node?.[name]
  return isNode(value) ? value : undefined
}

export function listMembers(node: TreeNode | undefined, name: string): TreeNode[] {
  return listNodes(node?.[name])
}

export function getIdentifier(node: TreeNode | undefined): string | undefined {
  return node?.type === 'Identifier' ? (node['name'] as string) : undefined
}

export function getText(node: TreeNode | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node['value'] === 'string') return node['value']
  const isPlain = node?.type === 'TemplateLiteral' && listMembers(node, 'expressions').length === 0
  return isPlain ? getQuasi(listMembers(node, 'quasis')[0]) : undefined
}

export function getQuasi(quasi: TreeNode | undefined): string | undefined {
  return (quasi?.['value'] as { cooked?: string } | undefined)?.cooked
}

/** Name of a property: `x` of `a.x`, `a['x']` and `{ x: … }`. */
export function getPropertyName(node: TreeNode | undefined): string | undefined {
  const key = getMember(node, node?.type === 'MemberExpression' ? 'property' : 'key')
  return node?.['computed'] === true ? getText(key) : (getIdentifier(key) ?? getText(key))
}

/** Dotted name of an expression, such as `process.env`. */
export function getDottedName(node: TreeNode | undefined): string | undefined {
  if (node?.type === 'ChainExpression') return getDottedName(getMember(node, 'expression'))
  if (node?.type !== 'MemberExpression') return getIdentifier(node)
  const object = getDottedName(getMember(node, 'object'))
  const property = getPropertyName(node)
  return object === undefined || property === undefined ? undefined : `${object}.${property}`
}

/** Names that a pattern binds, with their nodes. */
export function listBoundNames(pattern: TreeNode | undefined): TreeNode[] {
  switch (pattern?.type) {
    case 'Identifier':
      return [pattern]
    case 'ObjectPattern':
      return listMembers(pattern, 'properties').flatMap((each) =>
        listBoundNames(getMember(each, each.type === 'RestElement' ? 'argument' : 'value')),
      )
    case 'ArrayPattern':
      return listMembers(pattern, 'elements').flatMap(listBoundNames)
    case 'AssignmentPattern':
      return listBoundNames(getMember(pattern, 'left'))
    case 'RestElement':
      return listBoundNames(getMember(pattern, 'argument'))
    default:
      return []
  }
}
