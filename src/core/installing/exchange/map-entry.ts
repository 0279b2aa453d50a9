import { resolve } from 'node:path'
import { SkillsError, throwIfExhausted } from '../../../errors.ts'
import { formatGithubUrl } from '../../git/git-address.ts'
import { formatGitSource } from '../../sources/git/format-git-source.ts'
import { parseRemoteSource, parseSkillSource } from '../../sources/skill-source.ts'
import type { SkillSourcePlace } from '../../sources/source-place.ts'
import { findLocalSkill } from './find-local-skill.ts'
import type { ForeignEntry } from './foreign-lock.ts'

/** A source that `skills install` accepts, or the reason for which there is none. */
export type MappedSource = { source: string } | { problem: string }

/** Finds the source that an entry describes. Paths are relative to the folder of the lock. */
export function mapEntry(entry: ForeignEntry, folder: string): MappedSource {
  const kind = KINDS.get(entry.sourceType)
  if (!kind) return { problem: `its sourceType "${entry.sourceType}" is not known here` }
  const mapped = kind.map(entry, folder)
  if ('problem' in mapped) return mapped
  try {
    // An address of an entry could be a source of another kind.
    const { type } = parseSkillSource(mapped.source, folder)
    if (type === kind.type) return mapped
    return { problem: `its source is not of the sourceType "${entry.sourceType}"` }
  } catch (thrown) {
    if (thrown instanceof SkillsError) return { problem: thrown.message }
    throw thrown
  }
}

interface EntryKind {
  type: SkillSourcePlace['type']
  map(entry: ForeignEntry, folder: string): MappedSource
}

const KINDS = new Map<string, EntryKind>([
  ['github', { type: 'git', map: mapGithub }],
  ['gitlab', { type: 'git', map: mapGit }],
  ['git', { type: 'git', map: mapGit }],
  ['well-known', { type: 'site', map: mapSite }],
  ['local', { type: 'folder', map: mapLocal }],
  ['node_modules', { type: 'npm', map: mapPackage }],
  ['download', { type: 'url', map: ({ source }) => ({ source }) }],
])

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
  const source = formatGitSource(place)
  if (source !== undefined) return { source }
  return { problem: findGitProblem(`git+${place.url}#${ref ?? ''}${folder && `:${folder}`}`) }
}

/** The reason for which a source is refused, or has another meaning, as with a colon in its reference. */
function findGitProblem(source: string): string {
  try {
    parseRemoteSource(source)
  } catch (thrown) {
    if (thrown instanceof SkillsError) return thrown.message
    throw thrown
  }
  return 'its reference and its folder cannot be written as a source'
}

/** The form of `github:` addresses, for the trailing slash and the missing extension of others. */
function toPlainUrl(url: string): string {
  const [, repository] = /^https:\/\/github\.com\/([^/]+\/[^/]+?)(?:\.git)?\/?$/.exec(url) ?? []
  return (repository && formatGithubUrl(repository)) ?? url
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
