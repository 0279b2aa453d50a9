import type { Node } from 'acorn'
import { MAX_FACTS, type CodeFacts, type CodeImport, type EnvironmentRead } from './code-facts.ts'
import type { FileTree, TreeNode, VisitedNode } from './javascript-tree.ts'
import {
  getDottedName,
  getIdentifier,
  getQuasi,
  getMember,
  getPropertyName,
  getText,
  listMembers,
  visitTree,
} from './javascript-tree.ts'
import { collectNames, toSpan, type FileNames } from './javascript-scope.ts'
import { readFunctions } from './javascript-functions.ts'
import { findUndefinedNames, listExports } from './javascript-names.ts'
import { findRequest } from './javascript-requests.ts'
import { findRuntimeNames } from './javascript-runtime.ts'

type TreeFacts = Pick<
  CodeFacts,
  | 'imports'
  | 'environment'
  | 'readsWholeEnvironment'
  | 'strings'
  | 'requests'
  | 'runtimeNames'
  | 'undefinedNames'
  | 'exports'
  | 'functions'
  | 'paths'
>

/** Facts from the tree of a file. */
export function readTree(root: Node, source: string): TreeFacts {
  const tree = visitTree(root)
  const names = collectNames(tree)
  const environment = readEnvironment(tree)
  const calls = tree('CallExpression', 'NewExpression')
  const named = tree('VariableDeclarator', 'AssignmentExpression', 'Property', 'PropertyDefinition')
  return {
    imports: limit(tree(...IMPORTS).flatMap((each) => findImport(each, names))),
    environment: limit(environment.names),
    readsWholeEnvironment: environment.isWhole,
    strings: limit(named.flatMap(({ node }) => findNamedString(node))),
    requests: limit(calls.flatMap(({ node }) => findRequest(node, names, source) ?? [])),
    runtimeNames: limit(findRuntimeNames(tree, names)),
    undefinedNames: limit(findUndefinedNames(root as TreeNode, tree, names)),
    exports: listExports(tree, names),
    functions: readFunctions(tree, names),
    paths: limit(calls.flatMap(({ node }) => findPath(node))),
  }
}

const IMPORTS = [
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'CallExpression',
]

function limit<T>(items: T[]): T[] {
  return items.slice(0, MAX_FACTS)
}

function findImport({ node, parent, isTried }: VisitedNode, names: FileNames): CodeImport[] {
  const from = findSpecifier(node, names)
  const specifier = getText(from)
  if (!from || specifier === undefined) return []
  const isCaught = parent?.type === 'MemberExpression' && getPropertyName(parent) === 'catch'
  const by = node.type === 'CallExpression' ? 'require' : 'import'
  const taken = listMembers(node, 'specifiers').flatMap((each) => {
    const at = getMember(each, each.type === 'ExportSpecifier' ? 'local' : 'imported')
    const name = getIdentifier(at)
    return at && name !== undefined ? [{ name, span: toSpan(at) }] : []
  })
  return [{ specifier, by, isOptional: isTried || isCaught, span: toSpan(from), names: taken }]
}

const OPENERS =
  /^(?:\w+\.)?(?:(?:readFile|exists|readdir|stat|open|access)(?:Sync)?|createReadStream)$/

/** The relative path that a call opens. */
function findPath(node: TreeNode): CodeFacts['paths'][number][] {
  const [first] = listMembers(node, 'arguments')
  const name = getText(first) ?? getCurrentPath(first)
  if (!first || name === undefined || /^(?:\/|[a-z]+:)/.test(name)) return []
  return OPENERS.test(getDottedName(getMember(node, 'callee')) ?? '')
    ? [{ name, span: toSpan(first) }]
    : []
}

/** `a/b` of `${process.cwd()}/a/b`. */
function getCurrentPath(node: TreeNode | undefined): string | undefined {
  const [called, ...more] = node?.type === 'TemplateLiteral' ? listMembers(node, 'expressions') : []
  const [before, after] = listMembers(node, 'quasis').map(getQuasi)
  const isCurrent = getDottedName(getMember(called, 'callee')) === 'process.cwd'
  return isCurrent && more.length === 0 && before === '' ? after?.replace(/^\//, '') : undefined
}

function findSpecifier(node: TreeNode, names: FileNames): TreeNode | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
      return getMember(node, 'source')
    case 'CallExpression': {
      const isRequire = getIdentifier(getMember(node, 'callee')) === 'require'
      // A bundle passes its own `require` to each module.
      return isRequire && !names.parameters.has('require')
        ? listMembers(node, 'arguments')[0]
        : undefined
    }
    default:
      return undefined
  }
}

function readEnvironment(tree: FileTree): { names: EnvironmentRead[]; isWhole: boolean } {
  const written = findWrittenNames(tree)
  const defaults = findDefaults(tree)
  const names: EnvironmentRead[] = []
  let isWhole = false
  for (const { node, parent } of tree('MemberExpression')) {
    if (getDottedName(node) !== 'process.env') continue
    for (const { name, at } of listReadNames(node, parent)) {
      if (name === undefined || !at) isWhole = true
      else if (!written.has(at.start)) {
        names.push({ name, span: toSpan(at), hasDefault: defaults.has(node.start) })
      }
    }
  }
  return { names, isWhole }
}

interface ReadVariable {
  /** Undefined if any variable may be read. */
  name: string | undefined
  at: TreeNode | undefined
}

/** Variables that are read from the environment: of `.X`, `['X']` and `const { X } =`. */
function listReadNames(node: TreeNode, parent: TreeNode | undefined): ReadVariable[] {
  if (parent?.type === 'MemberExpression' && getMember(parent, 'object') === node) {
    return [{ name: getPropertyName(parent), at: getMember(parent, 'property') }]
  }
  const pattern = parent?.type === 'VariableDeclarator' ? getMember(parent, 'id') : undefined
  if (pattern?.type !== 'ObjectPattern') return [{ name: undefined, at: undefined }]
  return listMembers(pattern, 'properties').map((each) => ({
    name: getPropertyName(each),
    at: getMember(each, 'key'),
  }))
}

/** Offsets of values before `??` and `||`. */
function findDefaults(tree: FileTree): Set<number> {
  const found = tree('LogicalExpression').filter(({ node }) => node['operator'] !== '&&')
  return new Set(found.map(({ node }) => getMember(node, 'left')?.start ?? -1))
}

/** Offsets of variables that are assigned or deleted, and not read. */
function findWrittenNames(tree: FileTree): Set<number> {
  const starts = new Set<number>()
  for (const { node } of tree('AssignmentExpression', 'UnaryExpression')) {
    const isPlain = node['operator'] === '='
    const isDelete = node['operator'] === 'delete'
    const target = getMember(node, isPlain ? 'left' : isDelete ? 'argument' : '')
    const property = getMember(target, 'property')
    if (property) starts.add(property.start)
  }
  return starts
}

function findNamedString(node: TreeNode): CodeFacts['strings'][number][] {
  const [target, value] =
    node.type === 'VariableDeclarator'
      ? [getIdentifier(getMember(node, 'id')), getMember(node, 'init')]
      : node.type === 'AssignmentExpression'
        ? [findLastName(getMember(node, 'left')), getMember(node, 'right')]
        : /^Property(?:Definition)?$/.test(node.type)
          ? [getPropertyName(node), getMember(node, 'value')]
          : []
  const text = getText(value)
  if (target === undefined || !value || text === undefined || text.length < 8) return []
  return [{ value: text.slice(0, 4096), target, span: toSpan(value) }]
}

function findLastName(node: TreeNode | undefined): string | undefined {
  return node?.type === 'MemberExpression' ? getPropertyName(node) : getIdentifier(node)
}
