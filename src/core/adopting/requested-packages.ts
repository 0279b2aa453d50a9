import { readToml } from '../skills/manifest/toml-source.ts'
import { toPlainObject } from '../skills/manifest/plain-objects.ts'
import type { Plain } from '../skills/manifest/manifest.ts'
import type { SkillSource } from '../skills/manifest/source.ts'
import { foldDistributionName } from '../skills/dependencies/distribution-name.ts'

/** A package that a file of the skill asks for. */
export interface RequestedPackage {
  language: 'python' | 'node'
  /** Name with its range, as `skills deps add` takes it. */
  spec: string
  /** Folded name. */
  name: string
  place: string
}

const MAX_PACKAGES = 100
/** A requirement of Python without its extras. */
const REQUIREMENT = /^([A-Za-z0-9][\w.-]{0,98})\s*(?:\[[\w\s.,-]*\])?\s*((?:[<>=!~][^;#]{0,100})?)/
/** The block of PEP 723. */
const BLOCK = /^# \/\/\/ script[ \t]*\r?\n((?:#(?:[ \t][^\n]*)?\r?\n)+?)# \/\/\/[ \t]*\r?$/m

/** Packages of PEP 723 blocks, requirements.txt and package.json, in the skill or its scripts folder. */
export function listRequestedPackages(
  { files, read }: Pick<SkillSource, 'files' | 'read'>,
  scripts: readonly { path: string; program: string }[],
): RequestedPackage[] {
  const blocks = scripts
    .filter(({ program }) => program === 'python3')
    .flatMap(({ path }) => readBlock(path, read(path) ?? ''))
  const own = files.flatMap(({ path, type }) => {
    if (type !== 'file' || !/^(?:scripts\/)?(?:requirements\.txt|package\.json)$/.test(path))
      return []
    const text = read(path) ?? ''
    return path.endsWith('.txt') ? readRequestedLines(path, text) : readRequestedRanges(path, text)
  })
  const byName = new Map<string, RequestedPackage>()
  for (const each of [...blocks, ...own]) {
    const key = `${each.language} ${each.name}`
    if (!byName.has(key)) byName.set(key, each)
  }
  return [...byName.values()].slice(0, MAX_PACKAGES)
}

function readBlock(path: string, text: string): RequestedPackage[] {
  const block = BLOCK.exec(text)?.[1]
  if (block === undefined) return []
  const { data } = readToml(path, block.replaceAll(/^# ?/gm, ''))
  const { dependencies } = data
  const specs = Array.isArray(dependencies) ? dependencies : []
  return specs.flatMap((spec) => (typeof spec === 'string' ? toPython(spec, path) : []))
}

function readRequestedLines(path: string, text: string): RequestedPackage[] {
  return text
    .split('\n')
    .flatMap((line, at) => toPython(line.replace(/\s--hash=.*$/, ''), `${path}:${at + 1}`))
}

function toPython(written: string, place: string): RequestedPackage[] {
  const [, name = '', range = ''] = REQUIREMENT.exec(written.trim()) ?? []
  if (name === '' || /:\/\/|\s@\s/.test(written)) return []
  const spec = `${name}${range.trim().replaceAll(/\s+/g, '')}`
  return [{ language: 'python', spec, name: foldDistributionName(name), place }]
}

function readRequestedRanges(path: string, text: string): RequestedPackage[] {
  let data: Plain
  try {
    data = JSON.parse(text) as Plain
  } catch {
    return []
  }
  const { dependencies = {} } = toPlainObject(data)
  return Object.entries(toPlainObject(dependencies)).flatMap(([name, range]) =>
    typeof range === 'string' && /^[\w^~<>=.*| -]*$/.test(range)
      ? [{ language: 'node' as const, spec: `${name}@${range}`, name, place: path }]
      : [],
  )
}
