import { relative, resolve } from 'node:path'
import { isArchiveName } from '../../../util/archive-name.ts'
import { parseRemoteSource } from '../../sources/skill-source.ts'
import type { GitPlace, SitePlace } from '../../sources/source-place.ts'
import type { LockedSkill } from '../lock-file.ts'

/** Keys of an entry that tell its source, or the reason for which the format has none. */
export type DescribedSource = DescribedKeys | { problem: string }

interface DescribedKeys {
  source: string
  sourceType: string
  sourceUrl?: string | undefined
  ref?: string | undefined
  skillPath?: string | undefined
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
  switch (place?.type) {
    case undefined: {
      return describePath(locked.source, folders)
    }
    case 'git': {
      return describeRepository(place, locked.resolved)
    }
    case 'site': {
      return describeSite(place)
    }
    case 'url': {
      return { problem: 'the format has no archives' }
    }
    case 'npm': {
      return { problem: 'the format has packages of node_modules only, which npm installs' }
    }
    case 'oci': {
      return { problem: 'the format has no OCI registries' }
    }
  }
}

function describePath(source: string, { base, relativeTo }: DescribedFolders): DescribedSource {
  if (isArchiveName(source)) return { problem: 'the format has no archives' }
  const path = resolve(base, source)
  if (relativeTo === undefined) return { source: path, sourceType: 'local', sourceUrl: path }
  const text = relative(relativeTo, path) || '.'
  const isPlain = text === '.' || text.startsWith('..')
  return { source: isPlain ? text : `./${text}`, sourceType: 'local' }
}

function describeRepository({ url, ref }: GitPlace, resolved: string): DescribedSource {
  const pinned = parseRemoteSource(resolved)
  const folder = pinned?.type === 'git' ? pinned.folder : undefined
  const skillPath = folder === undefined ? 'SKILL.md' : `${folder}/SKILL.md`
  if (ref?.includes('@')) {
    return {
      problem: `the npm package "skills" reads a skill in the "@" of the reference "${ref}"`,
    }
  }
  const { protocol, hostname, pathname } = new URL(url)
  if (hostname === 'github.com') {
    const source = pathname.slice(1).replace(/\.git$/, '')
    return { source, sourceType: 'github', sourceUrl: url, ref, skillPath }
  }
  if (hostname === 'gitlab.com') {
    const address = url.endsWith('.git') ? url : `${url}.git`
    return { source: address, sourceType: 'gitlab', sourceUrl: address, ref, skillPath }
  }
  const problem = protocol === 'file:' ? findFileProblem(ref) : findServerProblem(pathname)
  if (problem !== undefined) return { problem }
  return { source: url, sourceType: 'git', sourceUrl: url, ref, skillPath }
}

function findFileProblem(ref: string | undefined): string | undefined {
  if (ref === undefined) return undefined
  return 'the npm package "skills" reads no reference of a repository on this machine'
}

function findServerProblem(pathname: string): string | undefined {
  if (/\.git$|\/_git\//.test(pathname)) return undefined
  return 'the npm package "skills" reads an address of git without ".git" as a site'
}

function describeSite({ url, version }: SitePlace): DescribedSource {
  if (version !== undefined) return { problem: 'the format has no version of a skill of a site' }
  const source = url.hostname.replace(/^www\./, '')
  return { source, sourceType: 'well-known', sourceUrl: url.href.replace(/\/$/, '') }
}
