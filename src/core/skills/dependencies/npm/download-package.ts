import { createHash } from 'node:crypto'
import { SkillsError } from '../../../../errors.ts'
import type { ArchiveLimits } from '../../../packing/read/archive-error.ts'
import { readArchive } from '../../../packing/read/read-archive.ts'
import type { PackedFile } from '../../../packing/packed-file.ts'
import {
  DEFAULT_NPM_REGISTRY,
  type RegistryAccess,
} from '../../../registries/credentials/credentials.ts'
import { openNpmClient } from '../../../registries/npm/npm-client.ts'
import type { LockedPackage } from './lock-file.ts'

/** Bounds of one package: those with a program of each platform have tens of MiB. */
const PACKAGE_LIMITS: ArchiveLimits = {
  archiveBytes: 64 * 1024 ** 2,
  files: 20_000,
  bytes: 256 * 1024 ** 2,
  ratio: 200,
}

/**
 * Downloads one package, compares its digest before it is parsed, and returns its files without the
 * folder around them.
 */
export async function downloadPackage(
  item: LockedPackage,
  access: RegistryAccess,
  signal: AbortSignal | undefined,
): Promise<PackedFile[]> {
  const client = openNpmClient(item.name, access, { signal })
  const url = locateArchive(item, client.registry)
  const bytes = await client.readOwnArchive(url, PACKAGE_LIMITS.archiveBytes)
  const found = createHash('sha512').update(bytes).digest('base64')
  if (!item.sha512.includes(found)) {
    throw packageError(item, `its integrity is sha512-${found}, expected sha512-${item.sha512[0]}`)
  }
  const files = unwrap(item, await readPackageArchive(item, bytes))
  checkManifest(item, files)
  return files
}

/**
 * URL of an archive. It must be at the registry of the package's name, and below that name: an entry
 * of a lock file could otherwise bring another package under a known name.
 */
export function locateArchive(
  { name, version, resolved }: Pick<LockedPackage, 'name' | 'version' | 'resolved'>,
  registry: URL,
): URL {
  const usual = `${name}/-/${name.split('/').at(-1)}-${version}.tgz`
  if (resolved === undefined) return new URL(usual, registry)
  // As npm does: a lock file that was written with the public registry is used with any.
  const written = resolved.startsWith(DEFAULT_NPM_REGISTRY)
    ? new URL(resolved.slice(DEFAULT_NPM_REGISTRY.length), registry)
    : new URL(resolved)
  const problem = findLocationProblem(written, { name, version, registry })
  if (problem === undefined) return written
  const shown = `${name}@${version}`
  throw new SkillsError('skill/invalid', `The lock file names ${resolved} for "${shown}": ${problem}`, {
    hint: `Expected ${new URL(usual, registry).href}; lock the packages again, or configure that registry for the scope in your .npmrc`,
  })
}

function findLocationProblem(
  url: URL,
  { name, version, registry }: { name: string; version: string; registry: URL },
): string | undefined {
  if (url.username !== '' || url.password !== '') return 'it contains a user name'
  if (url.origin !== registry.origin || !url.pathname.startsWith(registry.pathname)) {
    return `it is not at the registry of this package, ${registry.href}`
  }
  const path = decodePath(url.pathname.slice(registry.pathname.length))
  const isUsual = path === `${name}/-/${name.split('/').at(-1)}-${version}.tgz`
  // The form of registries that store archives by their digest.
  const isOther = path?.startsWith(`download/${name}/${version}/`) === true && !path.includes('..')
  return isUsual || isOther ? undefined : 'it is the archive of another package or version'
}

function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

async function readPackageArchive(item: LockedPackage, bytes: Buffer): Promise<PackedFile[]> {
  try {
    return await readArchive(bytes, PACKAGE_LIMITS)
  } catch (thrown) {
    if (!(thrown instanceof SkillsError)) throw thrown
    throw packageError(item, thrown.message)
  }
}

/** All files of an archive are in one folder, usually "package". */
function unwrap(item: LockedPackage, files: readonly PackedFile[]): PackedFile[] {
  const folder = `${files[0]?.path.split('/', 1)[0] ?? ''}/`
  return files.map((file) => {
    const path = file.path.slice(folder.length)
    if (!file.path.startsWith(folder) || path === '') {
      throw packageError(item, 'its files are not in one folder')
    }
    if (path.split('/').some((each) => each.toLowerCase() === 'node_modules')) {
      throw packageError(item, 'it contains a folder node_modules, which would hide locked packages')
    }
    return { ...file, path }
  })
}

/** The archive must be what its entry claims. */
function checkManifest(item: LockedPackage, files: readonly PackedFile[]): void {
  const file = files.find(({ path }) => path === 'package.json')
  if (!file) throw packageError(item, 'it has no package.json')
  const { name, version } = readPackageJson(item, file.bytes)
  if (name !== item.name || normalizeVersion(version) !== normalizeVersion(item.version)) {
    throw packageError(item, `its package.json is that of "${String(name)}@${String(version)}"`)
  }
}

/** Registries leave out build metadata, and accept a leading "v" in old packages. */
function normalizeVersion(version: unknown): string {
  return String(version).trim().replace(/^[v=]+/, '').replace(/\+.*$/, '')
}

function readPackageJson(item: LockedPackage, bytes: Uint8Array): Record<string, unknown> {
  try {
    const text = Buffer.from(bytes).toString('utf8').replace(/^\uFEFF/, '')
    const data = JSON.parse(text) as unknown
    if (typeof data === 'object' && data !== null && !Array.isArray(data)) {
      return data as Record<string, unknown>
    }
  } catch {
    // Reported below.
  }
  throw packageError(item, 'its package.json is not a JSON object')
}

function packageError({ name, version }: LockedPackage, problem: string): SkillsError {
  return new SkillsError(
    'dependencies/not-installed',
    `The package "${name}@${version}" is refused: ${problem}`,
    { hint: 'Compare the lock file with the registry, and lock another version if the package is damaged' },
  )
}
