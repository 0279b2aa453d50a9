import { readLock } from '../skills/dependencies/lock-file.ts'
import { readNpmLock } from '../skills/dependencies/npm/lock-file.ts'
import type { LintedSkill } from '../lint/rule.ts'
import type { Plain } from '../skills/manifest/manifest.ts'
import { findVendoredFolder } from './snapshots/left-out-paths.ts'

/** A package that a file of the skill declares. */
export interface DeclaredPackage {
  /** `npm lodash` or `python requests`. */
  name: string
  /** Version or range as written; empty without one. */
  version: string
  /** Hashes of a pinned package. */
  hashes: string
  path: string
}

/** Lock files, package.json, requirements and inline script metadata, by name. */
export function listDeclaredPackages(skill: LintedSkill): Map<string, DeclaredPackage> {
  const found = new Map<string, DeclaredPackage>()
  const { python: lock, node: npmLock } = skill.manifest.dependencies ?? {}
  for (const { path, type } of skill.files) {
    if (type !== 'file' || findVendoredFolder(path) !== undefined) continue
    const isRead = READ_NAMES.test(path) || path === lock || path === npmLock
    const text = isRead ? skill.read(path) : undefined
    if (text === undefined) continue
    if (path === npmLock) {
      for (const each of readNpmPackages(text))
        found.set(`${each.name}\0${path}`, { ...each, path })
      continue
    }
    for (const each of readPackages(path, text, path === lock)) {
      // Two files of a skill may declare one package.
      found.set(`${each.name}\0${path}`, { ...each, path })
    }
  }
  return found
}

const READ_NAMES = /(?:^|\/)(?:package\.json|requirements[\w.-]*\.(?:txt|in)|[\w.-]+\.py)$/

type ReadPackage = Omit<DeclaredPackage, 'path'>

function readPackages(path: string, text: string, isLock: boolean): ReadPackage[] {
  if (isLock) {
    return readLock(text).pins.map(({ name, version, line }) => ({
      name: `python ${name}`,
      version,
      hashes: [...line.matchAll(/--hash=\S+/g)]
        .map(([hash]) => hash)
        .sort()
        .join(' '),
    }))
  }
  if (path.endsWith('package.json')) return readPackageJson(text)
  return path.endsWith('.py') ? readScriptMetadata(text) : readRequirements(text)
}

/** Two versions of one package are two entries, by their folders. */
function readNpmPackages(text: string): ReadPackage[] {
  return readNpmLock(text).lock.packages.map(({ path, name, version, sha512 }) => ({
    name: path.endsWith(`node_modules/${name}`)
      ? `npm ${formatFolder(path)}`
      : `npm ${name} as ${formatFolder(path)}`,
    version,
    hashes: [...sha512].sort().join(' '),
  }))
}

function formatFolder(path: string): string {
  return path.replace('node_modules/', '').replaceAll('/node_modules/', ' > ')
}

function readPackageJson(text: string): ReadPackage[] {
  const data = parseTable(text)
  const groups = ['dependencies', 'optionalDependencies', 'peerDependencies']
  return groups.flatMap((group) =>
    Object.entries(toPlainTable(data[group])).map(([name, version]) => ({
      name: `npm ${name}`,
      version: typeof version === 'string' ? version : '',
      hashes: '',
    })),
  )
}

function readRequirements(text: string): ReadPackage[] {
  return text
    .split('\n')
    .flatMap((line) => readRequirement(line.replace(/(?:^|\s)#.*$/, '').trim()))
}

const REQUIREMENT = /^([A-Za-z0-9][\w.-]{0,200})(?:\[[\w\s,.-]{0,200}\])?\s{0,20}([^;\s].{0,300}|)$/

function readRequirement(line: string): ReadPackage[] {
  const match = REQUIREMENT.exec(line.split(';')[0]?.trim() ?? '')
  if (!match) return []
  const name = (match[1] ?? '').toLowerCase().replaceAll(/[._-]+/g, '-')
  const [version = '', ...hashes] = (match[2] ?? '').split(/\s+(?=--hash=)/)
  return [
    {
      name: `python ${name}`,
      version: version.replace(/^==\s*/, ''),
      hashes: hashes.sort().join(' '),
    },
  ]
}

/** `# /// script` with a list of dependencies, which `uv run` and `pipx run` install. */
function readScriptMetadata(text: string): ReadPackage[] {
  const block = /^# \/\/\/ script\s*\n((?:#[^\n]*\n){1,200}?)# \/\/\/\s*$/m.exec(text)?.[1]
  const list = block && /dependencies\s*=\s*\[([^\]]*)\]/.exec(block.replaceAll(/^# ?/gm, ''))?.[1]
  if (!list) return []
  return [...list.matchAll(/"([^"\n]{1,300})"|'([^'\n]{1,300})'/g)].flatMap((match) =>
    readRequirement(match[1] ?? match[2] ?? ''),
  )
}

/** Scripts that a package manager executes when it installs. */
export function listInstallScripts(skill: LintedSkill): { key: string; path: string }[] {
  return skill.files.flatMap(({ path }) => {
    if (!/(?:^|\/)package\.json$/.test(path) || findVendoredFolder(path) !== undefined) return []
    const scripts = toPlainTable(parseTable(skill.read(path) ?? '')['scripts'])
    return INSTALL_SCRIPTS.filter((name) => typeof scripts[name] === 'string').map((name) => ({
      key: `${name}: ${scripts[name] as string}`,
      path,
    }))
  })
}

const INSTALL_SCRIPTS = [
  'preinstall',
  'install',
  'postinstall',
  'prepare',
  'preprepare',
  'postprepare',
]

function parseTable(text: string): Readonly<Record<string, Plain>> {
  try {
    return toPlainTable(JSON.parse(text) as Plain)
  } catch {
    // Lint reports a syntax error; the file itself is compared by its digest.
    return {}
  }
}

function toPlainTable(value: Plain | undefined): Readonly<Record<string, Plain>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}
