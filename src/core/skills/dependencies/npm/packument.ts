import { SkillsError } from '../../../../errors.ts'
import { isSemver } from '../../../../util/semver.ts'
import { isPlainObject, toPlainObject } from '../../manifest/plain-objects.ts'
import type { Plain, PlainObject } from '../../manifest/manifest.ts'
import type { NpmConfiguration } from '../registry/npmrc.ts'
import { registryError, requestRegistry } from '../registry/request.ts'
import { loadSemverRanges } from './semver-ranges.ts'

/** The versions of one package in its registry. */
export interface DependencyPackument {
  tags: ReadonlyMap<string, string>
  /** package.json of each version, with its `dist`. */
  versions: ReadonlyMap<string, PlainObject>
}

const MAX_BYTES = 64 * 1024 ** 2
/** The form without texts, which is a tenth of the size. */
const ACCEPT = 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8'

/** Asks the registry for the versions of a package; undefined if it has none. */
export async function fetchPackument(
  name: string,
  settings: NpmConfiguration,
  signal: AbortSignal | undefined,
): Promise<DependencyPackument | undefined> {
  const registry = settings.getRegistry(name)
  const url = new URL(name.replace('/', '%2f'), registry)
  const headers = { accept: ACCEPT, ...settings.authorize(url) }
  const bytes = await requestRegistry({ url, headers, maxBytes: MAX_BYTES, signal })
  if (!bytes) return undefined
  const data = parseAnswer(url, bytes)
  // A registry that answers with another package is broken, or hostile.
  if (data['name'] !== name) throw registryError(url, 'it answered with another package')
  const tags = Object.entries(toPlainObject(data['dist-tags'])).filter(isTextEntry)
  const versions = Object.entries(toPlainObject(data['versions'])).filter(([version]) =>
    isSemver(version),
  )
  return {
    tags: new Map(tags),
    versions: new Map(versions.map(([version, each]) => [version, toPlainObject(each)])),
  }
}

function parseAnswer(url: URL, bytes: Buffer): PlainObject {
  try {
    const data = JSON.parse(bytes.toString('utf8')) as Plain
    if (isPlainObject(data)) return data
  } catch {
    // Reported below.
  }
  throw registryError(url, 'its answer is not a JSON object')
}

function isTextEntry(entry: [string, Plain]): entry is [string, string] {
  return typeof entry[1] === 'string'
}

/** The version for a range: a locked one, else the latest, else the highest without a warning. */
export function pickVersion(
  { tags, versions }: DependencyPackument,
  range: string,
  locked: readonly string[] = [],
): string | undefined {
  const { maxSatisfying, validRange } = loadSemverRanges()
  const tag = tags.get(range)
  if (tag !== undefined && versions.has(tag)) return tag
  if (validRange(range) === null) return undefined
  const kept = maxSatisfying(
    locked.filter((each) => versions.has(each)),
    range,
  )
  if (kept !== null) return kept
  const all = [...versions.keys()]
  const fresh = all.filter((each) => versions.get(each)?.['deprecated'] === undefined)
  const latest = fresh.filter((each) => each === tags.get('latest'))
  const lists = [latest, fresh, all]
  return lists.map((list) => maxSatisfying(list, range)).find((each) => each !== null) ?? undefined
}

/** Refuses what is not in a registry: git, addresses, folders. */
export function parseRange(name: string, written: string): { name: string; range: string } {
  const alias = /^npm:((?:@[^@/]+\/)?[^@/]+)(?:@(.*))?$/.exec(written)
  const range = (alias ? (alias[2] ?? '') : written).trim()
  if (/[:/]|^\./.test(range)) {
    throw new SkillsError('skill/invalid', `"${name}" is declared as "${written}", which is not in a registry`, {
      hint: 'Declare a range of versions such as "^1.2.0"',
    })
  }
  return { name: alias?.[1] ?? name, range: range === '' ? '*' : range }
}
