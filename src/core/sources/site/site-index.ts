import { parseStrictJson, type JsonValue } from '../../signing/envelope/strict-json.ts'
import { downloadFile } from '../download.ts'
import { DOWNLOAD_TIMEOUT_MS, type FetchOptions } from '../fetched-skill.ts'
import type { SitePlace } from '../source-place.ts'
import { SkillsError } from '../../../errors.ts'
import { toPrintable } from '../../../util/printable.ts'

const CURRENT_SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json'
const PATHS = ['.well-known/agent-skills/index.json', '.well-known/skills/index.json']
const MAX_INDEX_BYTES = 8 * 1024 ** 2
const MAX_ENTRIES = 20_000
const MAX_VERSION = 128

/** An entry whose further keys are read when it is chosen. */
export interface SiteEntry {
  name: string
  /** Name in the manifest, if the site has it and publishes under another one. */
  skill: string | undefined
  version: string | undefined
  value: JsonValue
}

/** The index of a site. */
export interface SiteIndex {
  url: URL
  /** True for version 0.1, which lists files without digests. */
  isLegacy: boolean
  entries: readonly SiteEntry[]
}

/** Reads the index of a site, or the one of older publishers. */
export async function readSiteIndex(place: SitePlace, options: FetchOptions): Promise<SiteIndex> {
  for (const path of PATHS) {
    const url = new URL(path, place.url)
    const text = await downloadText(url, options)
    if (text !== undefined) return parseSiteIndex(text, url, place)
  }
  throw siteError(place, `it has no ${PATHS.join(' and no ')}`)
}

export async function downloadText(
  url: URL,
  { signal, timeoutMs = DOWNLOAD_TIMEOUT_MS }: FetchOptions,
): Promise<string | undefined> {
  const bytes = await downloadFile(url, { bytes: MAX_INDEX_BYTES, timeoutMs }, signal)
  return bytes?.toString('utf8')
}

export function parseSiteIndex(text: string, url: URL, place: SitePlace): SiteIndex {
  const refuse = (problem: string) => siteError(place, `in its index, ${problem}`)
  const root = parseStrictJson(text, refuse)
  const schema = root.at('$schema')
  if (!schema.isAbsent && schema.value !== CURRENT_SCHEMA) throw schema.refuse(CURRENT_SCHEMA)
  const entries = root.at('skills').list(MAX_ENTRIES).map(parseSiteEntry)
  return { url, isLegacy: schema.isAbsent, entries }
}

function parseSiteEntry(value: JsonValue): SiteEntry {
  const version = value.at('version')
  const written = version.isAbsent ? undefined : version.text()
  if (written !== undefined && written.length > MAX_VERSION) throw version.refuse('a version')
  const skill = value.at('skill')
  const full = skill.isAbsent ? undefined : skill.text()
  return { name: value.at('name').text(), skill: full, version: written, value }
}

export function formatSite({ url }: Pick<SitePlace, 'url'>): string {
  return url.href.replace(/\/$/, '')
}

/** A site whose files are not as its format demands. */
export function siteError(
  place: SitePlace,
  problem: string,
  { hint = 'Ask its publisher, or install the archive of the skill by its URL' } = {},
): SkillsError {
  return new SkillsError(
    'remote/unexpected',
    `The site "${formatSite(place)}" is refused: ${toPrintable(problem)}`,
    { hint },
  )
}
