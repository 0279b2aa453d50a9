import { SkillsError } from '../../../../errors.ts'
import { toPlainObject } from '../../manifest/plain-objects.ts'
import type { Plain, PlainObject } from '../../manifest/manifest.ts'
import type { RegistryAccess } from '../../../registries/credentials/credentials.ts'
import { openNpmClient } from '../../../registries/npm/npm-client.ts'
import type { Packument } from '../../../registries/npm/packument.ts'
import { MAX_PACKAGES } from './lock-file.ts'
import { isNpmName } from './package-name.ts'
import { parseRange, pickVersion } from './pick-version.ts'
import { loadSemverRanges } from './semver-ranges.ts'
import { createNode, findRoot, findVisible, type PackageNode } from './tree.ts'

interface Resolution {
  access: RegistryAccess
  signal: AbortSignal | undefined
  /** Versions of an existing lock, which are kept if they fit. */
  locked: ReadonlyMap<string, readonly string[]>
}

interface PackageRequirement {
  folder: string
  written: string
  kind: 'required' | 'optional' | 'peer'
}

/**
 * Finds a version for each dependency, breadth first, and the folder for it as npm does: at the top,
 * or in the folder of the package that needs it if another version is there already.
 */
export async function resolveTree(manifest: PlainObject, resolution: Resolution): Promise<PackageNode> {
  const root = createNode(undefined, '', { name: '', version: '', manifest })
  const { access, signal } = resolution
  const known = new Map<string, Promise<Packument | undefined>>()
  const readKnown = async (name: string) => {
    const read = async () => await openNpmClient(name, access, { signal }).readPackument(name, 'short')
    const found = known.get(name) ?? read()
    known.set(name, found)
    return await found
  }
  const pending = [root]
  let count = 0
  for (const node of pending) {
    const requirements = listRequirements(node)
    // Asked for together; an error is thrown where the answer is used.
    const names = requirements.map(({ folder, written }) => parseRange(folder, written).name)
    await Promise.allSettled(names.map(readKnown))
    for (const each of requirements) {
      const added = await addRequirement(node, each, { ...resolution, readKnown })
      if (!added) continue
      pending.push(added)
      count += 1
      if (count > MAX_PACKAGES) throw resolveError(`they have more than ${MAX_PACKAGES} packages`)
    }
  }
  return root
}

type Lookup = Resolution & { readKnown: (name: string) => Promise<Packument | undefined> }

/** Returns a package that is new in the tree. */
async function addRequirement(
  node: PackageNode,
  { folder, written, kind }: PackageRequirement,
  lookup: Lookup,
): Promise<PackageNode | undefined> {
  const { name, range } = parseRange(folder, written)
  // A peer is a package beside the one that needs it.
  const from = kind === 'peer' ? (node.parent ?? node) : node
  const visible = findVisible(from, folder)
  const isOptional = kind === 'optional'
  if (visible?.name === name && matches(visible.version, range, await lookup.readKnown(name))) {
    node.edges.push({ to: visible, isOptional })
    return undefined
  }
  if (visible && kind === 'peer' && node.parent) {
    throw resolveError(
      `"${node.name}@${node.version}" needs "${folder}@${written}" beside it, and ${visible.version} is there`,
    )
  }
  const picked = await pick(name, range, lookup).catch((thrown: unknown) => {
    // A registry that fails is no reason to leave a package out: the next lock would have it.
    if (isOptional && thrown instanceof SkillsError && thrown.code === 'skill/invalid') return undefined
    throw thrown
  })
  if (!picked) {
    if (isOptional) return undefined
    throw noVersionError(node, name, range)
  }
  const parent = visible ? from : findRoot(node)
  const added = createNode(parent, folder, { name, ...picked })
  node.edges.push({ to: added, isOptional })
  return added
}

function noVersionError(node: PackageNode, name: string, range: string): SkillsError {
  const needed = node.name === '' ? '' : `, which "${node.name}@${node.version}" needs`
  return resolveError(`the registry has no version of "${name}" for "${range}"${needed}`)
}

function matches(version: string, range: string, packument: Packument | undefined): boolean {
  return packument?.tags.get(range) === version || loadSemverRanges().satisfies(version, range)
}

async function pick(name: string, range: string, { readKnown, locked }: Lookup) {
  const packument = await readKnown(name)
  const version = packument && pickVersion(packument, range, locked.get(name))
  if (!packument || version === undefined) return undefined
  const manifest = packument.versions.get(version)?.manifest ?? {}
  const { bundleDependencies, bundledDependencies } = manifest
  for (const list of [bundleDependencies, bundledDependencies]) {
    if (Array.isArray(list) ? list.length > 0 : list === true) {
      throw resolveError(`"${name}@${version}" bundles other packages, which is not supported`)
    }
  }
  return { version, manifest }
}

/** Dependencies of a package; those of the skill include its peers. */
function listRequirements({ manifest, path, name }: PackageNode): PackageRequirement[] {
  const optional = toPlainObject(manifest['optionalDependencies'])
  const meta = toPlainObject(manifest['peerDependenciesMeta'])
  const list = (group: Plain | undefined, kind: PackageRequirement['kind']): PackageRequirement[] =>
    Object.entries(toPlainObject(group)).map(([folder, written]) => {
      if (!isNpmName(folder) || typeof written !== 'string') {
        throw resolveError(`"${name || 'package.json'}" declares "${folder}", which is not a package`)
      }
      return { folder, written, kind }
    })
  const required = list(manifest['dependencies'], 'required').filter(
    ({ folder }) => !Object.hasOwn(optional, folder),
  )
  const peers = list(manifest['peerDependencies'], path === '' ? 'required' : 'peer').filter(
    ({ folder }) => toPlainObject(meta[folder])['optional'] !== true,
  )
  const all = [...required, ...list(optional, 'optional'), ...peers]
  return all.sort((a, b) => (a.folder < b.folder ? -1 : a.folder > b.folder ? 1 : 0))
}

function resolveError(problem: string): SkillsError {
  return new SkillsError('skill/invalid', `The packages cannot be locked: ${problem}`, {
    hint: 'Declare other ranges in package.json',
  })
}
