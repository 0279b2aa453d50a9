/** SPDX identifiers that a production dependency may have. */
const ALLOWED: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Python-2.0',
  'Unlicense',
])

/** The parts of package-lock.json that this reads. */
export interface Lockfile {
  packages: Readonly<Record<string, LockedPackage>>
}

interface LockedPackage {
  name?: string
  version?: string
  license?: string
  dev?: boolean
  /** Set on links to folders of this repository. */
  link?: boolean
}

export interface PackageLicense {
  name: string
  version: string
  /** As package.json says it; undefined where it says nothing. */
  license: string | undefined
  isAllowed: boolean
}

/**
 * Every package that `npm install skills-protocol` installs, or that is a part of its files, sorted by name.
 *
 * @param bundled Paths in the lockfile.
 */
export function listLicenses(
  { packages }: Lockfile,
  bundled: readonly string[] = [],
): PackageLicense[] {
  const production = Object.entries(packages).filter(
    ([path, each]) =>
      path !== '' && each.link !== true && (each.dev !== true || bundled.includes(path)),
  )
  const found = production.map(([path, { name, version = '', license }]) => ({
    name: name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
    version,
    license,
    isAllowed: license !== undefined && isAllowed(license),
  }))
  return found.toSorted((a, b) => compare(a.name, b.name) || compare(a.version, b.version))
}

/** True where an SPDX expression leaves a choice in which every licence is allowed. */
export function isAllowed(expression: string): boolean {
  const flat = expression.trim().replace(/^\(([^()]*)\)$/, '$1')
  return flat
    .split(/\s+OR\s+/)
    .some((choice) => choice.split(/\s+AND\s+/).every((id) => ALLOWED.has(id.trim())))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
