import type { RuntimeName } from './code-facts.ts'
import type { FileTree, TreeNode } from './javascript-tree.ts'
import {
  getIdentifier,
  getMember,
  getPropertyName,
  getText,
  listMembers,
} from './javascript-tree.ts'
import { toSpan, type FileNames } from './javascript-scope.ts'

/** Module of the runtime by specifier; the runtime itself is `runtime`. */
const MODULES = /^runtime(?:\/([\w-]+))?$/

/** Names that the code reads from the module `runtime` and from its submodules. */
export function findRuntimeNames(tree: FileTree, names: FileNames): RuntimeName[] {
  const { found, bindings } = readImports(tree, names)
  if (bindings.size === 0) return found
  for (const { node } of tree('MemberExpression')) {
    const module = findObject(getMember(node, 'object'), bindings)
    const name = getPropertyName(node)
    const at = getMember(node, 'property')
    if (module && name !== undefined && at) found.push({ module, name, span: toSpan(at) })
  }
  return found
}

/** Imported names, and the modules that are bound to a name. */
function readImports(tree: FileTree, names: FileNames) {
  const found: RuntimeName[] = []
  const bindings = new Map<string, string>()
  for (const { node } of tree(
    'ImportDeclaration',
    'ExportNamedDeclaration',
    'VariableDeclarator',
  )) {
    const from = findSource(node)
    const match = MODULES.exec(getText(from) ?? '')
    if (!from || !match) continue
    const [, submodule] = match
    if (submodule) found.push({ module: 'runtime', name: submodule, span: toSpan(from) })
    const module = submodule ? `runtime.${submodule}` : 'runtime'
    for (const { name, at, local } of listTakenNames(node)) {
      if (name !== undefined) found.push({ module, name, span: toSpan(at) })
      if (local !== undefined && names.counts.get(local) === 1) {
        bindings.set(local, name === undefined ? module : `${module}.${name}`)
      }
    }
  }
  return { found, bindings }
}

function findObject(
  node: TreeNode | undefined,
  bindings: ReadonlyMap<string, string>,
): string | undefined {
  if (node?.type !== 'MemberExpression') return bindings.get(getIdentifier(node) ?? '')
  const outer = findObject(getMember(node, 'object'), bindings)
  return outer === 'runtime' ? `runtime.${getPropertyName(node)}` : undefined
}

/** The specifier of a declaration that imports. */
function findSource(node: TreeNode): TreeNode | undefined {
  return node.type === 'VariableDeclarator'
    ? findLoaded(getMember(node, 'init'))
    : getMember(node, 'source')
}

/** The specifier of `require('x')` and `await import('x')`. */
function findLoaded(value: TreeNode | undefined): TreeNode | undefined {
  if (value?.type === 'AwaitExpression') return findLoaded(getMember(value, 'argument'))
  if (value?.type === 'ImportExpression') return getMember(value, 'source')
  const isRequire = getIdentifier(getMember(value, 'callee')) === 'require'
  return isRequire ? listMembers(value, 'arguments')[0] : undefined
}

interface TakenName {
  /** Undefined for the module as a whole. */
  name: string | undefined
  at: TreeNode
  local: string | undefined
}

function listTakenNames(node: TreeNode): TakenName[] {
  if (node.type === 'VariableDeclarator') return listDestructured(getMember(node, 'id'))
  return listMembers(node, 'specifiers').map((each) => {
    const at = getMember(each, each.type === 'ExportSpecifier' ? 'local' : 'imported') ?? each
    const isNamespace = each.type === 'ImportNamespaceSpecifier'
    const isDefault = each.type === 'ImportDefaultSpecifier'
    const name = isNamespace
      ? undefined
      : isDefault
        ? 'default'
        : (getIdentifier(at) ?? getText(at))
    return { name, at, local: getIdentifier(getMember(each, 'local')) }
  })
}

function listDestructured(id: TreeNode | undefined): TakenName[] {
  if (id?.type === 'Identifier') return [{ name: undefined, at: id, local: getIdentifier(id) }]
  if (id?.type !== 'ObjectPattern') return []
  return listMembers(id, 'properties').flatMap((each) => {
    const at = getMember(each, 'key')
    const name = getPropertyName(each)
    if (!at || name === undefined) return []
    return [{ name, at, local: getIdentifier(getMember(each, 'value')) }]
  })
}
