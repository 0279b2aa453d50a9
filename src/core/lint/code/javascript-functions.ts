import type { FunctionFacts, NamedSpan } from './code-facts.ts'
import {
  getDottedName,
  getIdentifier,
  getMember,
  getPropertyName,
  listMembers,
  type FileTree,
  type TreeNode,
} from './javascript-tree.ts'
import { toSpan, type FileNames } from './javascript-scope.ts'
import { visitReads } from './javascript-names.ts'

type Functions = ReadonlyMap<string, TreeNode>

/** Facts about the functions of a file, by name; those that they call in the file count for them. */
export function readFunctions(tree: FileTree, names: FileNames): Map<string, FunctionFacts> {
  const functions = new Map<string, TreeNode>()
  for (const { node } of tree('FunctionDeclaration')) {
    functions.set(getIdentifier(getMember(node, 'id')) ?? 'default', node)
  }
  for (const [name, value] of names.constants) {
    if (/^(?:Arrow)?FunctionExpression$/.test(value.type)) functions.set(name, value)
  }
  return new Map(
    [...functions].map(([name, node]) => [
      name,
      {
        keys: listKeys(node, 0, { functions, seen: new Set() }),
        exits: listExits(node, { functions, seen: new Set() }),
        results: listResults(node, names),
      },
    ]),
  )
}

interface FunctionSearch {
  functions: Functions
  seen: Set<TreeNode>
}

/** Keys that are read from a parameter; `*` if it is passed on to code that the file does not show. */
function listKeys(node: TreeNode, at: number, search: FunctionSearch): NamedSpan[] {
  if (search.seen.has(node)) return []
  search.seen.add(node)
  const written = listMembers(node, 'params')[at]
  const parameter = written?.type === 'AssignmentPattern' ? getMember(written, 'left') : written
  if (parameter?.type === 'ObjectPattern') return listPatternKeys(parameter)
  const name = getIdentifier(parameter)
  const body = getMember(node, 'body')
  if (name === undefined || !body) return []
  const keys: NamedSpan[] = []
  visitReads(body, (read, parents) => {
    if (read['name'] === name) keys.push(...findReadKeys(read, parents, search))
  })
  return keys
}

// eslint-disable-next-line complexity -- one case for each kind of parent
function findReadKeys(
  read: TreeNode,
  parents: readonly TreeNode[],
  search: FunctionSearch,
): NamedSpan[] {
  const parent = parents.at(-1)
  const open = [{ name: '*', span: toSpan(read) }]
  switch (parent?.type) {
    case 'MemberExpression': {
      const name = getPropertyName(parent)
      const isWritten =
        parents.at(-2)?.type === 'AssignmentExpression' &&
        getMember(parents.at(-2), 'left') === parent
      if (name === undefined) return open
      const at = getMember(parent, 'property') ?? parent
      return isWritten || name in Object.prototype ? [] : [{ name, span: toSpan(at) }]
    }
    case 'VariableDeclarator': {
      const pattern = getMember(parent, 'id')
      return pattern?.type === 'ObjectPattern' ? listPatternKeys(pattern) : open
    }
    case 'CallExpression': {
      const called = search.functions.get(getIdentifier(getMember(parent, 'callee')) ?? '')
      return called
        ? listKeys(called, listMembers(parent, 'arguments').indexOf(read), search)
        : open
    }
    case 'UnaryExpression':
    case 'IfStatement':
    case 'LogicalExpression':
      return parent.type === 'LogicalExpression' ? open : []
    default:
      return open
  }
}

function listPatternKeys(pattern: TreeNode): NamedSpan[] {
  return listMembers(pattern, 'properties').map((each) => ({
    name: getPropertyName(each) ?? '*',
    span: toSpan(getMember(each, 'key') ?? each),
  }))
}

/** Calls that end the process. */
function listExits(node: TreeNode, search: FunctionSearch): NamedSpan[] {
  if (search.seen.has(node)) return []
  search.seen.add(node)
  const found: NamedSpan[] = []
  visitReads(node, (read, parents) => {
    const parent = parents.at(-1)
    const called = parents.at(-2)
    if (
      getDottedName(parent) === 'process.exit' &&
      getMember(called, 'callee') === parent &&
      parent
    ) {
      found.push({ name: 'process.exit', span: toSpan(parent) })
    }
    const own = search.functions.get(read['name'] as string)
    if (own && getMember(parent, 'callee') === read) found.push(...listExits(own, search))
  })
  return found
}

/** Parts of returned values that are not JSON. */
function listResults(node: TreeNode, names: FileNames): NamedSpan[] {
  const body = getMember(node, 'body')
  if (!body) return []
  const returned = body.type === 'BlockStatement' ? listReturned(body) : [body]
  const own = returned.map(getIdentifier).filter((name) => name !== undefined)
  return [...returned, ...listWritten(body, own)].flatMap((value) => findNoJson(value, names))
}

/** Values that are assigned to a member of a returned name. */
function listWritten(node: TreeNode, returned: readonly string[]): TreeNode[] {
  if (/Function|^Class/.test(node.type) || returned.length === 0) return []
  const target = node.type === 'AssignmentExpression' ? getMember(node, 'left') : undefined
  const isOwn =
    target?.type === 'MemberExpression' &&
    returned.includes(getIdentifier(getMember(target, 'object')) ?? '')
  if (isOwn) return listMembers(node, 'right')
  return Object.keys(node).flatMap((member) =>
    listMembers(node, member).flatMap((child) => listWritten(child, returned)),
  )
}

function listReturned(node: TreeNode): TreeNode[] {
  if (node.type === 'ReturnStatement') return listMembers(node, 'argument')
  if (/Function|^Class/.test(node.type)) return []
  return Object.keys(node).flatMap((member) => listMembers(node, member).flatMap(listReturned))
}

const NO_JSON = /^(?:Set|Map|WeakMap|WeakSet|URLSearchParams|Uint8Array|ArrayBuffer|RegExp)$/

// eslint-disable-next-line complexity -- one case for each kind of value
function findNoJson(node: TreeNode, names: FileNames, steps = 0): NamedSpan[] {
  const follow = (next: TreeNode | undefined) =>
    next && steps < 20 ? findNoJson(next, names, steps + 1) : []
  const fail = (name: string) => [{ name, span: toSpan(node) }]
  switch (node.type) {
    case 'ObjectExpression':
      return listMembers(node, 'properties').flatMap((each) => follow(getMember(each, 'value')))
    case 'ArrayExpression':
      return listMembers(node, 'elements').flatMap(follow)
    case 'ConditionalExpression':
      return [...follow(getMember(node, 'consequent')), ...follow(getMember(node, 'alternate'))]
    case 'Identifier': {
      const name = node['name'] as string
      const value = names.counts.get(name) === 1 ? names.constants.get(name) : undefined
      const found = follow(value)
      return found.length > 0 && value?.type !== 'ObjectExpression'
        ? fail(found[0]?.name ?? '')
        : found
    }
    case 'NewExpression': {
      const name = getIdentifier(getMember(node, 'callee')) ?? ''
      return NO_JSON.test(name) ? fail(`a ${name}`) : []
    }
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return fail('a function')
    case 'Literal':
      return typeof node['bigint'] === 'string' ? fail('a BigInt') : []
    default:
      return []
  }
}
