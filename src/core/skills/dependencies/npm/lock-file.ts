import { isSemver } from '../../../../util/semver.ts'
import { listSha512Digests } from '../../../registries/npm/integrity.ts'
import type { Plain, PlainObject } from '../../manifest/manifest.ts'
import { isPlainObject, toPlainObject } from '../../manifest/plain-objects.ts'
import { isNpmName, OWN_NAMES } from './package-name.ts'

/** One package of a package-lock.json. */
export interface LockedPackage {
  /** Folder below the installation: `node_modules/a/node_modules/b`. */
  path: string
  /** Name in the registry, which differs from the folder's for an alias. */
  name: string
  version: string
  /** URL of the archive; undefined if the registry's usual one is meant. */
  resolved: string | undefined
  /** Base64 digests of SHA-512; the archive has one of them. */
  sha512: readonly string[]
  isOptional: boolean
  os: readonly string[]
  cpu: readonly string[]
  libc: readonly string[]
}

/** A package-lock.json as an installation needs it. */
export interface NpmLock {
  packages: readonly LockedPackage[]
  /** Ranges that package.json declares, by name. */
  direct: ReadonlyMap<string, string>
}

/** An entry that cannot be installed. */
export interface NpmLockProblem {
  /** Counted from 1. */
  line: number
  start: number
  end: number
  message: string
}

export const MAX_PACKAGES = 2000
const MAX_PROBLEMS = 100
const FOLDER = 'node_modules/'

/** Parses a package-lock.json of version 2 or 3; reports what cannot be installed exactly. */
export function readNpmLock(text: string): { lock: NpmLock; problems: NpmLockProblem[] } {
  const problems: NpmLockProblem[] = []
  const packages: LockedPackage[] = []
  const direct = new Map<string, string>()
  const report = (key: string, message: string) => {
    if (problems.length < MAX_PROBLEMS) problems.push({ ...locateKey(text, key), message })
  }
  const entries = readLockEntries(text, report)
  for (const [path, entry] of entries) {
    if (path === '') readDirect(entry, direct)
    // Tools of the author, which no run needs.
    else if (entry['dev'] !== true) {
      const found = readPackage(path, entry)
      if (typeof found === 'string') report(path, `"${path}" ${found}`)
      else packages.push(found)
    }
  }
  for (const name of direct.keys()) {
    if (OWN_NAMES.has(name)) report(name, `"${name}" is the name of a module of the runtime`)
    else if (entries.length > 0 && !packages.some(({ path }) => path === FOLDER + name)) {
      report(name, `"${name}" is declared, and the lock file has no package for it`)
    }
  }
  if (packages.length > MAX_PACKAGES) report('packages', `It has more than ${MAX_PACKAGES} packages`)
  return { lock: { packages, direct }, problems }
}

function readLockEntries(
  text: string,
  report: (key: string, message: string) => void,
): [path: string, entry: PlainObject][] {
  let data: Plain
  try {
    data = JSON.parse(text) as Plain
  } catch {
    report('', 'It is not valid JSON')
    return []
  }
  const { lockfileVersion, packages } = toPlainObject(data)
  if ((lockfileVersion !== 2 && lockfileVersion !== 3) || !isPlainObject(packages)) {
    report('lockfileVersion', 'It is not a package-lock.json of version 2 or 3')
    return []
  }
  return Object.entries(packages).map(([path, entry]) => [path, toPlainObject(entry)])
}

/** Peer dependencies of the skill itself are dependencies too: nothing else provides them. */
function readDirect(entry: PlainObject, direct: Map<string, string>): void {
  for (const group of ['peerDependencies', 'optionalDependencies', 'dependencies']) {
    for (const [name, range] of Object.entries(toPlainObject(entry[group]))) {
      if (typeof range === 'string') direct.set(name, range)
    }
  }
}

/** The package, or the reason for which it cannot be installed. */
function readPackage(path: string, entry: PlainObject): LockedPackage | string {
  const folders = splitFolders(path)
  if (!folders) return 'is not a folder below node_modules'
  const { version, name = folders.at(-1), resolved, link, inBundle } = entry
  if (link === true) return 'is a link to a folder'
  if (inBundle === true) return 'is bundled into another package, which is not supported'
  if (typeof name !== 'string' || !isNpmName(name)) return 'has no valid name'
  if (typeof version !== 'string' || !isSemver(version)) return 'has no exact version'
  if (resolved !== undefined && !isAddress(resolved)) {
    return 'is not from a registry: expected the https URL of an archive'
  }
  const sha512 = listSha512Digests(entry['integrity'])
  if (sha512.length === 0) return 'has no integrity with SHA-512'
  return {
    path,
    name,
    version,
    resolved,
    sha512,
    isOptional: isOptionalEntry(entry),
    ...readPlatforms(entry),
  }
}

function isOptionalEntry({ optional, devOptional }: PlainObject): boolean {
  return optional === true || devOptional === true
}

/** The machines that a package is for. */
export function readPlatforms(entry: PlainObject): Pick<LockedPackage, 'os' | 'cpu' | 'libc'> {
  const { os, cpu, libc } = entry
  return { os: toTextList(os), cpu: toTextList(cpu), libc: toTextList(libc) }
}

function isAddress(value: Plain): value is string {
  return typeof value === 'string' && URL.canParse(value) && /^https?:\/\//.test(value)
}

/** Names of the folders of packages on a path, outermost first. */
function splitFolders(path: string): string[] | undefined {
  if (!path.startsWith(FOLDER)) return undefined
  const names = path.slice(FOLDER.length).split(`/${FOLDER}`)
  return names.every(isNpmName) ? names : undefined
}

function locateKey(text: string, key: string): Omit<NpmLockProblem, 'message'> {
  const quoted = JSON.stringify(key)
  const start = key === '' ? -1 : text.indexOf(quoted)
  if (start === -1) return { line: 1, start: 0, end: 0 }
  const line = text.slice(0, start).split('\n').length
  return { line, start, end: start + quoted.length }
}

function toTextList(value: Plain | undefined): string[] {
  const list = typeof value === 'string' ? [value] : value
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : []
}
