import { toHyphenatedName } from '../../packing/pack-skill.ts'
import { expandShortName } from '../../skills/repository/short-name.ts'
import { checkAddress } from '../check-address.ts'
import { fetchArchive } from '../fetch-archive.ts'
import type { FetchOptions, FetchedSkill } from '../fetched-skill.ts'
import { fetchLegacyFiles } from './fetch-legacy.ts'
import {
  formatSite,
  readSiteIndex,
  siteError,
  type SiteEntry,
  type SiteIndex,
} from './site-index.ts'
import { readSiteVersion } from './site-version.ts'
import type { ArchivePlace, SitePlace } from '../source-place.ts'
import { SkillsError } from '../../../errors.ts'
import { findNearest } from '../../../util/find-nearest.ts'
import { listSome } from '../../../util/join-text.ts'
import { toPrintable } from '../../../util/printable.ts'

/** Downloads a skill that the index of a site lists. Digests are compared before parsing. */
export async function fetchSite(place: SitePlace, options: FetchOptions): Promise<FetchedSkill> {
  const index = await readSiteIndex(place, options)
  const entry = findSiteEntry(place, index.entries)
  const name = entry?.name ?? place.name
  const fetched = await fetchListed({ ...place, name }, options, { index, entry })
  return { ...fetched, listed: name }
}

interface SelectedEntry {
  index: SiteIndex
  entry: SiteEntry | undefined
}

async function fetchListed(
  place: SitePlace,
  options: FetchOptions,
  { index, entry }: SelectedEntry,
): Promise<FetchedSkill> {
  if (place.version !== undefined && entry?.version !== place.version) {
    return await fetchVersion(place, place.version, options)
  }
  if (!entry) throw missingSkillError(place, index.entries)
  if (index.isLegacy)
    return await fetchLegacyFiles(place, { ...index, value: entry.value }, options)
  const { url, digest, type, version } = readEntry(place, entry, index.url)
  const fetched = await fetchArchive({ type: 'url', url, digest }, options, type)
  return { ...fetched, ...(version !== undefined && { fixed: { version } }) }
}

async function fetchVersion(
  place: SitePlace,
  version: string,
  options: FetchOptions,
): Promise<FetchedSkill> {
  const { url, digest, yanked } = await readSiteVersion(place, version, options)
  const fetched = await fetchArchive({ type: 'url', url, digest }, options, 'archive')
  return { ...fetched, fixed: { version }, yanked }
}

function findSiteEntry(place: SitePlace, entries: readonly SiteEntry[]): SiteEntry | undefined {
  const [first, second] = entries.filter(({ name }) => name === place.name)
  if (second) throw siteError(place, `its index has "${place.name}" twice`)
  if (first) return first
  const hyphenated = place.name.includes('.') ? toHyphenatedName(place.name) : undefined
  const full = expandShortName(
    place.name,
    entries.flatMap(({ skill }) => skill ?? []),
  )
  return entries.find(({ name, skill }) => name === hyphenated || (full && skill === full))
}

const DIGEST = /^sha256:[0-9a-f]{64}$/

function readEntry(place: SitePlace, { value, version }: SiteEntry, index: URL) {
  const type = value.at('type').matching(/^(?:skill-md|archive)$/, '"skill-md" or "archive"')
  const digest = value.at('digest').matching(DIGEST, 'sha256: and 64 hexadecimal digits')
  const text = value.at('url').text()
  if (!URL.canParse(text, index.href)) throw value.at('url').refuse('a URL')
  const url = new URL(text, index)
  url.hash = ''
  checkAddress(url, url.href)
  if (url.origin !== place.url.origin) {
    throw siteError(place, `its index refers to another server, ${url.origin}`, {
      hint: `If you trust that server, type: skills install '${url.href}#${digest.replace(':', '=')}'`,
    })
  }
  return { url, digest, type: type as 'skill-md' | 'archive', version }
}

function missingSkillError(place: SitePlace, entries: readonly SiteEntry[]): SkillsError {
  const near = findNearest(
    place.name,
    entries.map(({ name }) => name),
  )
  return new SkillsError(
    'skill/not-found',
    `The site "${formatSite(place)}" has no skill "${place.name}"`,
    {
      hint:
        near === undefined
          ? entries.length === 0
            ? 'Its index is empty'
            : `It has ${toPrintable(listSome(entries.map(({ name }) => name)))}`
          : `Did you mean "${toPrintable(near)}"?`,
    },
  )
}

const NAME = /^[A-Za-z0-9][\w.-]{0,127}$/

/** An error with the skills of the site at this address; undefined if no site is there. */
export async function findSite(
  { url }: ArchivePlace,
  options: FetchOptions,
): Promise<SkillsError | undefined> {
  const base = new URL(url)
  base.search = ''
  if (!base.pathname.endsWith('/')) base.pathname += '/'
  const site = { type: 'site', url: base, name: '', version: undefined } as const
  const index = await readSiteIndex(site, options).catch(() => undefined)
  options.signal.throwIfAborted()
  const names = index?.entries.map(({ name }) => name).filter((name) => NAME.test(name)) ?? []
  const [first] = names
  if (first === undefined) return undefined
  const address = toPrintable(formatSite(site))
  const problem = `it is a site with ${names.length === 1 ? '1 skill' : `${names.length} skills`}`
  return new SkillsError('skill/not-found', `Cannot install from "${address}": ${problem}`, {
    hint: `Name a skill, as in skills install '${address}#${first}'; it has ${listSome(names)}`,
    data: { skills: names.slice(0, 20) },
  })
}
