import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { SkillsError } from '../../../../errors.ts'
import { readUpTo } from '../../../../util/bytes/read-up-to.ts'
import { isSafeAddress } from '../../../../util/loopback-host.ts'
import { toHyphenatedName } from '../../../packing/pack-skill.ts'
import { parseStrictJson } from '../../../signing/envelope/strict-json.ts'
import { parseSiteRecord, recordError, SITE_NAME, type SiteSkill } from './site-record.ts'

/** Facts of a site that later publications keep. */
export interface SiteSettings {
  /** Name of the site and of its marketplaces. */
  name: string
  /** Address without a slash at the end; undefined if it is not known. */
  baseUrl: string | undefined
}

/** Everything that a site's own files are made from. */
export interface SiteState {
  settings: SiteSettings
  /** By name. */
  skills: readonly SiteSkill[]
}

export const SETTINGS_FILE = 'skills/site.json'
export const RECORD_FILE = 'index.json'

const MAX_RECORD_BYTES = 16 * 1024 ** 2

/** Reads the state of a site; a missing folder is an empty site. Writes nothing. */
export function readSite(folder: string, wanted: Partial<SiteSettings>): SiteState {
  const stored = readSettings(folder)
  const name = wanted.name ?? stored?.name ?? toHyphenatedName(basename(folder))
  const baseUrl = wanted.baseUrl ?? stored?.baseUrl
  checkSiteName(name)
  return {
    settings: { name, baseUrl: baseUrl === undefined ? undefined : parseBaseUrl(baseUrl) },
    skills: readSkills(join(folder, 'skills')),
  }
}

function readSkills(folder: string): SiteSkill[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, RECORD_FILE)))
  return names.sort().map((name) => {
    const file = join(folder, name, RECORD_FILE)
    const record = parseSiteRecord(readSiteFile(file), file)
    if (record.name === name) return record
    throw recordError(file, `its name is "${record.name}", expected "${name}"`)
  })
}

function readSettings(folder: string): SiteSettings | undefined {
  const file = join(folder, SETTINGS_FILE)
  if (!existsSync(file)) return undefined
  const root = parseStrictJson(readSiteFile(file), (problem) => recordError(file, problem))
  const baseUrl = root.at('base_url')
  return {
    name: root.at('name').text(),
    baseUrl: baseUrl.value === null ? undefined : baseUrl.text(),
  }
}

export function formatSettings({ name, baseUrl }: SiteSettings): string {
  return `${JSON.stringify({ name, base_url: baseUrl ?? null }, null, 2)}\n`
}

function readSiteFile(file: string): string {
  const bytes = readUpTo(file, MAX_RECORD_BYTES)
  if (!bytes) throw recordError(file, 'it is too large')
  return bytes.toString('utf8')
}

/** Names that clients keep for the marketplaces of their vendors. */
const RESERVED =
  /claude|anthropic|openai|codex|^(?:agent-skills|life-sciences|healthcare|inline|builtin|skills-dir|synced|npm|pip|uv|cargo|github|gh|knowledge-work-plugins|financial-services-plugins|first-party-plugins)$/

function checkSiteName(name: string): void {
  if (SITE_NAME.test(name) && name.length <= 64 && !RESERVED.test(name)) return
  throw new SkillsError('usage/invalid', `"${name.slice(0, 80)}" cannot be the name of a site`, {
    hint: 'Choose lower-case words with hyphens: --site-name acme-skills',
  })
}

/** Accepts https, and http on this machine; no user, query or fragment. */
function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url && url.username === '' && url.password === '' && !url.search && !url.hash
  if (url && isPlain && isSafeAddress(url)) {
    return url.href.replace(/\/+$/, '')
  }
  throw new SkillsError('usage/invalid', 'The address of the site is not valid', {
    hint: 'Write it as --base-url https://example.com/skills, without user, query and fragment',
  })
}
