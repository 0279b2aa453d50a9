import { JsonValue, type RefuseJson } from '../../signing/envelope/strict-json.ts'
import type { Plain, PlainObject } from '../../skills/manifest/manifest.ts'
import { toPlainObject } from '../../skills/manifest/plain-objects.ts'
import { isSemver } from '../../../util/semver.ts'

/**
 * A published version of a package. Its facts are checked when they are used: registries have old
 * versions without some of them, which must not hide the others.
 */
export class NpmVersion {
  readonly version: string
  readonly #value: JsonValue

  constructor(version: string, value: JsonValue) {
    this.version = version
    this.#value = value
  }

  /** package.json of the version, with its `dist`. */
  get manifest(): PlainObject {
    return toPlainObject(this.#value.value as Plain)
  }

  /** Address of the archive, as the registry names it. */
  get tarball(): string {
    return this.#value.at('dist').at('tarball').text()
  }

  get integrity(): string | undefined {
    const integrity = this.#value.at('dist').at('integrity')
    return integrity.isAbsent ? undefined : integrity.text()
  }

  /** The reason, if the version is deprecated. */
  get deprecated(): string | undefined {
    const { value } = this.#value.at('deprecated')
    if (value === true) return 'no reason is given'
    // An empty text takes a deprecation back.
    return typeof value === 'string' && value !== '' ? value : undefined
  }

  get hasAttestations(): boolean {
    return !this.#value.at('dist').at('attestations').isAbsent
  }
}

/** The versions and tags of a package. */
export interface Packument {
  name: string
  tags: ReadonlyMap<string, string>
  versions: ReadonlyMap<string, NpmVersion>
  /** The whole document, for a change of it. */
  document: Record<string, unknown>
}

/** Parses the answer about the package of a name. */
export function parsePackument(text: string, name: string, refuse: RefuseJson): Packument {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw refuse('it is not JSON')
  }
  const value = new JsonValue(parsed, '', refuse)
  const written = value.at('name').text()
  // A registry that answers with another package is broken, or hostile.
  if (written !== name) throw refuse(`the registry answers with ${JSON.stringify(written)}`)
  const [tags, versions] = [value.at('dist-tags'), value.at('versions')]
  // Versions of another form are older than the rules of npm, and are never chosen.
  const listed = listObjectKeys(versions).filter(isSemver)
  return {
    name,
    tags: new Map(listObjectKeys(tags).map((tag) => [tag, tags.at(tag).text()])),
    versions: new Map(listed.map((key) => [key, parseVersion(key, versions.at(key))])),
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
  if (written.value !== version) throw written.refuse(`"${version}"`)
  return new NpmVersion(version, value)
}
