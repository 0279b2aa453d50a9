import { relative, resolve } from 'node:path'
import { computeFolderHash, computeGitTree, computeSiteDigest } from './foreign-hash.ts'
import type { ForeignFormat } from './foreign-lock.ts'
import type { LockedSkill } from '../lock-file.ts'
import { readMarkdown } from '../../skills/manifest/markdown-source.ts'
import type { FetchedSkill } from '../../sources/fetched-skill.ts'
import { findRemoteKind } from '../../sources/index.ts'
import { parseRemoteSource } from '../../sources/skill-source.ts'
import type { DescribedSource } from '../../sources/source-kind.ts'
import { isArchiveName } from '../../../util/archive-name.ts'

/** An entry of another lock, without times. */
export interface CreatedEntry {
  /** Key of the entry. */
  key: string
  value: Readonly<Record<string, unknown>>
}

/** The source of a lock entry as it was fetched. */
interface EntrySource {
  locked: LockedSkill
  described: Exclude<DescribedSource, { problem: string }>
  fetched: Pick<FetchedSkill, 'files' | 'leftOut' | 'archiveDigest'>
}

/** Keys in the order in which the other tool writes them. Undefined ones are not written. */
export function createEntry(format: ForeignFormat, source: EntrySource): CreatedEntry | string {
  const { locked, described, fetched } = source
  const key = findKey(source)
  if (key === undefined)
    return 'the npm package "skills" needs a name and a description in SKILL.md'
  const files = [...fetched.files, ...(fetched.leftOut ?? [])]
  const isSite = described.sourceType === 'well-known'
  const siteDigest = isSite
    ? computeSiteDigest({ files, archiveDigest: fetched.archiveDigest })
    : undefined
  const { sourceType, sourceUrl, ref, skillPath } = described
  if (format === 'skills-lock') {
    return {
      key,
      value: {
        source: described.source,
        ...(sourceType !== 'github' && { sourceUrl }),
        ref,
        sourceType,
        skillPath,
        computedHash: computeFolderHash(files),
        wellKnownDigest: siteDigest,
      },
    }
  }
  return {
    key,
    value: {
      source: described.source,
      sourceType,
      sourceUrl: isSite ? locateSkill(locked) : sourceUrl,
      ref,
      skillPath,
      skillFolderHash: isSite ? '' : computeUserHash(sourceType, files),
      ...(isSite && { sourceBaseUrl: sourceUrl }),
      wellKnownDigest: siteDigest,
    },
  }
}

function computeUserHash(sourceType: string, files: FetchedSkill['files']): string {
  return sourceType === 'github' ? computeGitTree(files) : computeFolderHash(files)
}

/** Address of the archive in the index of a site. */
function locateSkill({ resolved }: LockedSkill): string {
  return resolved.replace(/#.*$/, '')
}

/** The name in the index of the site, or in the front matter. */
function findKey({ locked, fetched }: EntrySource): string | undefined {
  const markdown = fetched.files.find(({ path }) => path === 'SKILL.md')
  if (!markdown) return undefined
  const text = Buffer.from(markdown.bytes).toString('utf8')
  const { name, description } = readMarkdown('SKILL.md', text).frontMatter.data
  if (typeof name !== 'string' || typeof description !== 'string') return undefined
  const place = parseRemoteSource(locked.source)
  return place?.type === 'site' ? place.name : name || undefined
}

interface DescribedFolders {
  /** Folder that paths of our lock are relative to. */
  base: string
  /** Folder of the file to write, to which its paths are relative; undefined for absolute ones. */
  relativeTo: string | undefined
}

/** Describes a source as the other installer does after `add`. */
export function describeSource(
  locked: Pick<LockedSkill, 'source' | 'resolved'>,
  folders: DescribedFolders,
): DescribedSource {
  const place = parseRemoteSource(locked.source)
  if (!place) return describePath(locked.source, folders)
  return findRemoteKind(place).describeForeign(place, locked.resolved)
}

function describePath(source: string, { base, relativeTo }: DescribedFolders): DescribedSource {
  if (isArchiveName(source)) return { problem: 'the format has no archives' }
  const path = resolve(base, source)
  if (relativeTo === undefined) return { source: path, sourceType: 'local', sourceUrl: path }
  const text = relative(relativeTo, path) || '.'
  const isPlain = text === '.' || text.startsWith('..')
  return { source: isPlain ? text : `./${text}`, sourceType: 'local' }
}
