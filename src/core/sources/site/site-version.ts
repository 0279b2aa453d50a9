import { SkillsError } from '../../../errors.ts'
import { listSome } from '../../../util/join-text.ts'
import { toPrintable } from '../../../util/printable.ts'
import { parseStrictJson, type JsonValue } from '../../signing/envelope/strict-json.ts'
import type { FetchOptions } from '../fetched-skill.ts'
import type { SitePlace } from '../source-place.ts'
import { formatSite, siteError } from './site-index.ts'
import { downloadText } from './site-index.ts'

interface SiteRelease {
  url: URL
  digest: string
  /** Reason for which the version was withdrawn. */
  yanked: string | undefined
}

const DIGEST = /^sha256:[0-9a-f]{64}$/
const MAX_VERSIONS = 5000
const MAX_ARCHIVES = 100

/** Finds an older version in `skills/<name>/index.json`, which `skills publish` writes. */
export async function readSiteVersion(
  place: SitePlace,
  version: string,
  options: FetchOptions,
): Promise<SiteRelease> {
  const url = new URL(`skills/${place.name}/index.json`, place.url)
  const text = await downloadText(url, options)
  if (text === undefined) throw missingVersionError(place, version, [])
  const refuse = (problem: string) => siteError(place, `in ${url.pathname}, ${problem}`)
  const versions = parseStrictJson(text, refuse).at('versions').list(MAX_VERSIONS)
  const found = versions.filter((each) => each.at('version').text() === version)
  const [release] = found
  if (found.length > 1) throw refuse(`the version ${version} is there twice`)
  if (!release) {
    const listed = versions.map((each) => each.at('version').text())
    throw missingVersionError(place, version, listed)
  }
  return readRelease(release, url)
}

function readRelease(release: JsonValue, index: URL): SiteRelease {
  const archives = release.at('archives').list(MAX_ARCHIVES)
  const archive = archives.find((each) => each.at('type').value === 'tar.gz') ?? archives[0]
  if (!archive) throw release.at('archives').refuse('an archive')
  const path = archive.at('path')
  const relative = path.matching(/^[\w.+-]+(?:\/[\w.+-]+)*$/, 'a relative path')
  if (relative.split('/').some((part) => /^\.+$/.test(part))) throw path.refuse('a relative path')
  const yanked = release.at('yanked')
  return {
    url: new URL(relative, index),
    digest: archive.at('digest').matching(DIGEST, 'sha256: and 64 hexadecimal digits'),
    yanked: yanked.isAbsent || yanked.value === null ? undefined : yanked.text(),
  }
}

function missingVersionError(
  place: SitePlace,
  version: string,
  listed: readonly string[],
): SkillsError {
  return new SkillsError(
    'skill/version-not-found',
    `The site "${formatSite(place)}" has no version ${version} of "${place.name}"`,
    {
      hint:
        listed.length === 0
          ? `Omit the version: skills install '${formatSite(place)}#${place.name}'`
          : `It has ${toPrintable(listSome(listed))}`,
    },
  )
}
