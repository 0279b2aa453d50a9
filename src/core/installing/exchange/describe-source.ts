import { relative, resolve } from 'node:path'
import { isArchiveName } from '../../../util/archive-name.ts'
import { findRemoteKind } from '../../sources/index.ts'
import { parseRemoteSource } from '../../sources/skill-source.ts'
import type { DescribedSource } from '../../sources/source-kind.ts'
import type { LockedSkill } from '../lock-file.ts'

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
