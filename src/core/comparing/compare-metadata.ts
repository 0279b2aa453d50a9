import { compareSemver, isSemver } from '../../util/semver.ts'
import type { Plain } from '../skills/manifest/manifest.ts'
import { toSortedJson } from '../skills/manifest/sorted-json.ts'
import { locate, locateInManifest, type ComparedSide } from './compared-side.ts'
import type { DifferenceCode, RawDifference } from './difference.ts'
import { readSkillVersion } from './version-step.ts'

/** Keys of skill.toml and of the front matter with a comparison of their own. */
const OWN_KEYS = new Set([
  'name',
  'version',
  'description',
  'kind',
  'runtime',
  'inputs',
  'result',
  'permissions',
  'dependencies',
  'allowed-tools',
  'hooks',
])
const CODE_BY_KEY: Readonly<Record<string, DifferenceCode>> = {
  license: 'metadata/license-changed',
  compatibility: 'metadata/host-key-changed',
}
/** Keys without an effect on hosts. */
const HARMLESS_KEYS = new Set([
  'tags',
  'title',
  'short_description',
  'namespace',
  '$schema',
  'author',
  'metadata',
])

/** The name, the version, the description, and all other keys of both manifests. */
export function compareMetadata(before: ComparedSide, after: ComparedSide): RawDifference[] {
  const [old, now] = [before.skill.manifest, after.skill.manifest]
  const found: RawDifference[] = []
  const add = (code: DifferenceCode, key: 'name' | 'description' | 'kind'): void => {
    if (old[key] === now[key]) return
    const place = locateInManifest(after, [key])
    found.push({ code, subject: key, before: old[key], after: now[key], place })
  }
  add('metadata/name-changed', 'name')
  add('metadata/description-changed', 'description')
  add('metadata/kind-changed', 'kind')
  return [
    ...found,
    ...compareFrontDescription(before, after),
    ...compareVersions(before, after),
    ...compareKeys(before, after),
    ...compareValidity(before, after),
  ]
}

/** Hosts show the description of SKILL.md, the catalog that of skill.toml. */
function compareFrontDescription(before: ComparedSide, after: ComparedSide): RawDifference[] {
  const [old, now] = [before, after].map(({ skill }) => skill.manifest.frontMatter['description'])
  if (!after.skill.toml || !before.skill.toml || old === now) return []
  const place = locate(after, 'SKILL.md', after.skill.markdown?.frontMatter.locate(['description']))
  return [
    {
      code: 'metadata/description-changed',
      subject: 'description in SKILL.md',
      before: printKey(old),
      after: printKey(now),
      place,
    },
  ]
}

function compareVersions(before: ComparedSide, after: ComparedSide): RawDifference[] {
  const [old, now] = [readSkillVersion(before.skill), readSkillVersion(after.skill)]
  if (old === now) return []
  const isLowered =
    old !== undefined && (now === undefined || (isSemver(now) && compareSemver(now, old) < 0))
  const code = isLowered ? 'metadata/version-lowered' : 'metadata/version-changed'
  const place = locateInManifest(after, after.skill.toml ? ['version'] : ['metadata', 'version'])
  return [{ code, subject: 'version', before: old, after: now, place }]
}

function compareKeys(before: ComparedSide, after: ComparedSide): RawDifference[] {
  const toml = compareTables(before.skill.manifest.toml ?? {}, after.skill.manifest.toml ?? {})
  const front = compareTables(before.skill.manifest.frontMatter, after.skill.manifest.frontMatter)
  const markdown = after.skill.markdown ?? before.skill.markdown
  return [
    ...toml.map(({ key, ...change }) => ({
      ...change,
      subject: key,
      place: locateInManifest(after, [key]),
    })),
    ...front
      // The version and the name of both files are compared by lint.
      .map(({ key, ...change }) => ({
        ...change,
        subject: `${key} in SKILL.md`,
        place:
          markdown && locate(after, 'SKILL.md', after.skill.markdown?.frontMatter.locate([key])),
      })),
  ]
}

type Table = Readonly<Record<string, Plain>>

function compareTables(old: Table, now: Table) {
  const keys = new Set([...Object.keys(old), ...Object.keys(now)])
  return [...keys].sort().flatMap((key) => {
    if (OWN_KEYS.has(key)) return []
    const [was, is] = [printKey(old[key]), printKey(now[key])]
    if (was === is) return []
    const usual: DifferenceCode = HARMLESS_KEYS.has(key)
      ? 'metadata/key-changed'
      : 'metadata/host-key-changed'
    const code = Object.hasOwn(CODE_BY_KEY, key) ? (CODE_BY_KEY[key] as DifferenceCode) : usual
    return [{ key, code, before: was, after: is }]
  })
}

function printKey(value: Plain | undefined): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  return toSortedJson(value)
}

/** A skill that a repository now rejects. */
function compareValidity(before: ComparedSide, after: ComparedSide): RawDifference[] {
  const old = new Set(before.skill.problems.map(({ message }) => message))
  return after.skill.problems
    .filter(({ message }) => !old.has(message))
    .map(({ file, path, message }) => ({
      code: 'metadata/not-valid' as const,
      subject: file,
      after: message,
      place:
        file === 'skill.toml'
          ? locateInManifest(after, path)
          : { side: 'after' as const, path: file },
    }))
}
