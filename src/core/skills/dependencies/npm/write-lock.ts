import { SkillsError } from '../../../../errors.ts'
import type { PlainObject } from '../../manifest/manifest.ts'
import { toPlainObject } from '../../manifest/plain-objects.ts'
import type { RegistryAccess } from '../../../registries/credentials/credentials.ts'
import { listSha512Digests } from '../../../registries/npm/integrity.ts'
import { locateArchive } from './download-package.ts'
import { isForPlatform, readPlatform } from './platform.ts'
import { readPlatforms } from './lock-file.ts'
import { findRequired, listNodes, type PackageNode } from './tree.ts'

const ROOT_KEYS = [
  'name',
  'version',
  'dependencies',
  'optionalDependencies',
  'peerDependencies',
] as const
/** Fields of a package that npm keeps in its lock file. */
const KEPT_KEYS = [
  'dependencies',
  'optionalDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'engines',
  'os',
  'cpu',
  'libc',
  'hasInstallScript',
] as const

/** Text of a package-lock.json of version 3, which npm reads too. */
export function formatNpmLock(root: PackageNode, access: RegistryAccess): string {
  const required = findRequired(root)
  const entries = listNodes(root).map((node): [string, PlainObject] => [
    node.path,
    describeNode(node, access, required.has(node)),
  ])
  const own = keepKeys(root.manifest, ROOT_KEYS)
  const lock = {
    ...keepKeys(root.manifest, ['name', 'version']),
    lockfileVersion: 3,
    requires: true,
    packages: { '': own, ...Object.fromEntries(entries) },
  }
  return `${JSON.stringify(lock, null, 2)}\n`
}

function describeNode(node: PackageNode, access: RegistryAccess, isRequired: boolean): PlainObject {
  const { name, version, manifest, path } = node
  const dist = toPlainObject(manifest['dist'])
  const { tarball, integrity } = dist
  const [sha512] = listSha512Digests(integrity)
  if (sha512 === undefined) {
    throw npmLockError(`the registry has no SHA-512 of "${name}@${version}"`)
  }
  const resolved = typeof tarball === 'string' ? tarball : undefined
  const address = locateArchive({ name, version, resolved }, access.findNpmRegistry(name))
  if (isRequired && !isForPlatform(readPlatforms(manifest), readPlatform())) {
    throw npmLockError(`"${name}@${version}" is not for this machine`)
  }
  return {
    ...(path.endsWith(`node_modules/${name}`) ? {} : { name }),
    version,
    resolved: address.href,
    integrity: `sha512-${sha512}`,
    ...(isRequired ? {} : { optional: true }),
    ...keepKeys(manifest, KEPT_KEYS),
  }
}

function keepKeys(manifest: PlainObject, keys: readonly string[]): PlainObject {
  return Object.fromEntries(
    keys.flatMap((key) => {
      const value = Object.hasOwn(manifest, key) ? manifest[key] : undefined
      return value === undefined ? [] : [[key, value]]
    }),
  )
}

function npmLockError(problem: string): SkillsError {
  return new SkillsError('skill/invalid', `The packages cannot be locked: ${problem}`, {
    hint: 'Declare another version, or bundle what the code uses into the skill',
  })
}
