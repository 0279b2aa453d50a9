import { SkillsError } from '../../../../errors.ts'
import { compareSemver, isSemver } from '../../../../util/semver.ts'
import { parseStrictJson, type JsonValue } from '../../../signing/envelope/strict-json.ts'

/** A published archive. Its path is relative to the record. */
export interface SiteArchive {
  path: string
  digest: string
  type: string
  size: number
}

/** A version of a skill on a site. */
export interface SiteVersion {
  version: string
  /** Digest of its files. */
  digest: string
  description: string
  capabilities: readonly string[]
  archives: readonly SiteArchive[]
  isSigned: boolean
  /** The reason, if the version is withdrawn. */
  yanked: string | null
}

/** The file `skills/<name>/index.json` of a site: all versions, newest first. */
export interface SiteSkill {
  /** In the format of Agent Skills. */
  name: string
  /** Name of the manifest. */
  skill: string
  versions: readonly SiteVersion[]
}

export const SITE_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const SKILL_NAME = /^[\w.-]{1,200}$/
const DIGEST = /^sha256:[0-9a-f]{64}$/
const ARCHIVE_TYPE = /^(?:tar\.gz|zip|skill)$/
const MAX_VERSIONS = 5000
const MAX_TEXTS = 1000

/** The newest version that is not withdrawn. */
export function findNewestVersion({ versions }: SiteSkill): SiteVersion | undefined {
  return versions.find(({ yanked }) => yanked === null)
}

export function formatSiteRecord({ name, skill, versions }: SiteSkill): string {
  const sorted = versions.toSorted((a, b) => compareSemver(b.version, a.version))
  const listed = sorted.map(({ version, digest, description, yanked, ...rest }) => ({
    version,
    digest,
    yanked,
    description,
    capabilities: rest.capabilities,
    signed: rest.isSigned,
    archives: rest.archives,
  }))
  return `${JSON.stringify({ name, skill, versions: listed }, null, 2)}\n`
}

/** Parses a record that any publisher may have written. */
export function parseSiteRecord(text: string, file: string): SiteSkill {
  const root = parseStrictJson(text, (problem) => recordError(file, problem))
  const name = root.at('name').matching(SITE_NAME, 'a name of lower-case words and hyphens')
  const versions = root
    .at('versions')
    .list(MAX_VERSIONS)
    .map((each) => parseVersion(each, name))
    .sort((a, b) => compareSemver(b.version, a.version))
  return { name, skill: root.at('skill').matching(SKILL_NAME, 'the name of a skill'), versions }
}

function parseVersion(value: JsonValue, name: string): SiteVersion {
  const version = value.at('version').text()
  if (!isSemver(version)) throw value.at('version').refuse('a semantic version')
  const yanked = value.at('yanked')
  const archives = value.at('archives').list(MAX_TEXTS)
  return {
    version,
    digest: value.at('digest').matching(DIGEST, 'a digest'),
    description: value.at('description').text(),
    capabilities: value.at('capabilities').texts(MAX_TEXTS),
    archives: archives.map((each) => parseArchive(each, `${version}/${name}-${version}.`)),
    isSigned: value.at('signed').value === true,
    yanked: yanked.value === null ? null : yanked.text(),
  }
}

function parseArchive(value: JsonValue, start: string): SiteArchive {
  const type = value.at('type').matching(ARCHIVE_TYPE, 'tar.gz, zip or skill')
  const path = value.at('path')
  if (path.text() !== `${start}${type}`) throw path.refuse(`"${start}${type}"`)
  return {
    path: path.text(),
    digest: value.at('digest').matching(DIGEST, 'a digest'),
    type,
    size: value.at('size').count(),
  }
}

export function recordError(file: string, problem: string): SkillsError {
  return new SkillsError(
    'skill/invalid',
    `The file "${file}" of the site is not valid: ${problem}`,
    { hint: 'Restore it from version control, or publish to a new folder' },
  )
}
