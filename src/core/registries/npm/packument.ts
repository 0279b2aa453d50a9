import { JsonValue, type RefuseJson } from '../../signing/envelope/strict-json.ts'
import { isSemver } from '../../../util/semver.ts'

/** A published version of a package. */
export interface NpmVersion {
  version: string
  /** Address of the archive, as the registry names it. */
  tarball: string
  integrity: string | undefined
  /** The reason, if the version is deprecated. */
  deprecated: string | undefined
  hasAttestations: boolean
}

/** The versions and tags of a package. */
export interface Packument {
  name: string
  tags: ReadonlyMap<string, string>
  versions: ReadonlyMap<string, NpmVersion>
  /** The whole document, for a change of it. */
  document: Record<string, unknown>
}

export function parsePackument(text: string, refuse: RefuseJson): Packument {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw refuse('it is not JSON')
  }
  const value = new JsonValue(parsed, '', refuse)
  const [tags, versions] = [value.at('dist-tags'), value.at('versions')]
  return {
    name: value.at('name').text(),
    tags: new Map(listObjectKeys(tags).map((tag) => [tag, tags.at(tag).text()])),
    versions: new Map(
      listObjectKeys(versions).map((version) => [
        version,
        parseVersion(version, versions.at(version)),
      ]),
    ),
    document: parsed as Record<string, unknown>,
  }
}

function listObjectKeys(value: JsonValue): string[] {
  if (value.isAbsent) return []
  if (typeof value.value !== 'object' || value.value === null) throw value.refuse('an object')
  return Object.keys(value.value)
}

function parseVersion(version: string, value: JsonValue): NpmVersion {
  const written = value.at('version')
  if (written.text() !== version || !isSemver(version)) throw written.refuse(`"${version}"`)
  const dist = value.at('dist')
  const [integrity, deprecated] = [dist.at('integrity'), value.at('deprecated')]
  return {
    version,
    tarball: dist.at('tarball').text(),
    integrity: integrity.isAbsent ? undefined : integrity.text(),
    // An empty text takes a deprecation back.
    deprecated: typeof deprecated.value === 'string' ? deprecated.value || undefined : undefined,
    hasAttestations: !dist.at('attestations').isAbsent,
  }
}
