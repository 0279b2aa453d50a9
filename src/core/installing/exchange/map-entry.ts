import { resolve } from 'node:path'
import { SkillsError, throwIfExhausted } from '../../../errors.ts'
import { formatGithubUrl } from '../../git/git-address.ts'
import { describeGitPlace } from '../../sources/git/git-text.ts'
import { parseRemoteSource, parseSkillSource } from '../../sources/skill-source.ts'
import { findLocalSkill } from './find-local-skill.ts'
import type { ForeignEntry } from './foreign-lock.ts'

/** A source that `skills install` accepts, or the reason for which there is none. */
export type MappedSource = { source: string } | { problem: string }

/** Finds the source that an entry describes. Paths are relative to the folder of the lock. */
export function mapEntry(entry: ForeignEntry, folder: string): MappedSource {
  const map = MAPPERS.get(entry.sourceType)
  if (!map) return { problem: `its sourceType "${entry.sourceType}" is not known here` }
  const mapped = map(entry, folder)
  return 'problem' in mapped ? mapped : checkMapped(mapped.source, folder)
}

const MAPPERS = new Map<string, (entry: ForeignEntry, folder: string) => MappedSource>([
  ['github', mapGithub],
  ['gitlab', mapGit],
  ['git', mapGit],
  ['well-known', mapSite],
  ['local', mapLocal],
  ['node_modules', mapPackage],
  ['download', ({ source }) => ({ source })],
])

function checkMapped(source: string, folder: string): MappedSource {
  try {
    parseSkillSource(source, folder)
    return { source }
  } catch (thrown) {
    if (thrown instanceof SkillsError) return { problem: thrown.message }
    throw thrown
  }
}

/** Also GitHub Enterprise, whose address is in `sourceUrl` only. */
function mapGithub(entry: ForeignEntry): MappedSource {
  const { source, sourceUrl } = entry
  const own = formatGithubUrl(source)
  if (own === undefined) return { problem: `its source "${source}" is not owner/repository` }
  const named = sourceUrl && URL.canParse(sourceUrl) ? new URL(sourceUrl).pathname : undefined
  if (named !== undefined && named.replace(/\.git$/, '') !== new URL(own).pathname.slice(0, -4)) {
    return { problem: 'its source and its sourceUrl name different repositories' }
  }
  return mapRepository(entry, sourceUrl ?? own)
}

function mapGit(entry: ForeignEntry): MappedSource {
  const { source, sourceUrl } = entry
  if (sourceUrl === undefined && !/^[\w+]+:|^git@/.test(source)) {
    return { problem: 'it has no sourceUrl, and its source names no server' }
  }
  return mapRepository(entry, sourceUrl ?? source)
}

/** Addresses of ssh on servers that have the same repositories under https. */
const SSH = /^(?:git@(github\.com|gitlab\.com):|ssh:\/\/git@(github\.com|gitlab\.com)\/)(.+)$/

function mapRepository({ ref, skillPath }: ForeignEntry, address: string): MappedSource {
  const [, short, long, path] = SSH.exec(address) ?? []
  const url = path === undefined ? address : `https://${short ?? long}/${path}`
  if (!/^(?:https|file):\/\//.test(url)) {
    return { problem: `its repository "${address}" has neither an https nor a file address` }
  }
  const folder = parseSkillPath(skillPath)
  if (folder === undefined) return { problem: `its skillPath "${skillPath}" is not a SKILL.md` }
  const place = { url: toPlainUrl(url), ref, folder: folder || undefined }
  const text = describeGitPlace(place, place.folder)
  if (isSamePlace(text, place)) return { source: text }
  // A folder with "@" is not readable in the short form.
  return { source: `git+${place.url}#${ref ?? ''}${folder && `:${folder}`}` }
}

/** The form of `github:` addresses, for the trailing slash and the missing extension of others. */
function toPlainUrl(url: string): string {
  const [, repository] = /^https:\/\/github\.com\/([^/]+\/[^/]+?)(?:\.git)?\/?$/.exec(url) ?? []
  return (repository && formatGithubUrl(repository)) ?? url
}

interface RepositoryPlace {
  url: string
  ref: string | undefined
  folder: string | undefined
}

function isSamePlace(text: string, { url, ref, folder }: RepositoryPlace): boolean {
  try {
    const place = parseRemoteSource(text)
    return (
      place?.type === 'git' && place.url === url && place.ref === ref && place.folder === folder
    )
  } catch {
    return false
  }
}

/** The folder of a SKILL.md, empty for the root; undefined for another file. */
function parseSkillPath(skillPath: string | undefined): string | undefined {
  if (skillPath === undefined) return ''
  return /^(?:(.+)\/)?SKILL\.md$/i
    .exec(skillPath)
    ?.slice(1)
    .map((folder) => folder ?? '')[0]
}

/** The file is that of a user, or of a project: `sourceUrl` is the base of the site in both. */
function mapSite({ name, sourceUrl }: ForeignEntry): MappedSource {
  if (sourceUrl === undefined) return { problem: 'it has no address of its site' }
  const base = sourceUrl.replace(/\/\.well-known\/.*$/, '').replace(/\/+$/, '')
  return { source: `${base}#${name}` }
}

function mapLocal({ name, source }: ForeignEntry, folder: string): MappedSource {
  try {
    const found = findLocalSkill(resolve(folder, source), name)
    if (found !== undefined) return { source: found }
    return { problem: `the folder "${source}" has no skill of this name, or several` }
  } catch (thrown) {
    throwIfExhausted(thrown)
    return { problem: `the folder "${source}" cannot be read` }
  }
}

function mapPackage({ source, version, skillPath }: ForeignEntry): MappedSource {
  const folder = parseSkillPath(skillPath)?.split('/').at(-1)
  return { source: `npm:${source}${version ? `@${version}` : ''}${folder ? `#${folder}` : ''}` }
}
