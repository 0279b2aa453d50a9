import type { PlainObject } from '../../manifest/manifest.ts'

/** A package in the tree of folders. */
export interface PackageNode {
  /** Empty for the skill itself. */
  path: string
  /** Name in the registry. */
  name: string
  version: string
  manifest: PlainObject
  parent: PackageNode | undefined
  /** Packages in its own node_modules, by the name of the folder. */
  children: Map<string, PackageNode>
  /** Packages that it imports. */
  edges: { to: PackageNode; isOptional: boolean }[]
}

export function createNode(
  parent: PackageNode | undefined,
  folder: string,
  values: Pick<PackageNode, 'name' | 'version' | 'manifest'>,
): PackageNode {
  const prefix = parent === undefined || parent.path === '' ? '' : `${parent.path}/`
  const path = parent === undefined ? '' : `${prefix}node_modules/${folder}`
  const node: PackageNode = { path, ...values, parent, children: new Map(), edges: [] }
  parent?.children.set(folder, node)
  return node
}

/** The package that Node finds for an import, from a folder upwards. */
export function findVisible(from: PackageNode | undefined, folder: string): PackageNode | undefined {
  for (let at = from; at; at = at.parent) {
    const found = at.children.get(folder)
    if (found) return found
  }
  return undefined
}

export function findRoot(node: PackageNode): PackageNode {
  let root = node
  while (root.parent) root = root.parent
  return root
}

export function listNodes(root: PackageNode): PackageNode[] {
  const found = [...root.children.values()]
  for (const node of found) found.push(...node.children.values())
  return found.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Packages without which the skill still works: those that only optional edges lead to. */
export function findRequired(root: PackageNode): Set<PackageNode> {
  const required = new Set([root])
  for (const node of required) {
    for (const { to, isOptional } of node.edges) if (!isOptional) required.add(to)
  }
  return required
}
