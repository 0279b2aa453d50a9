import { SkillsError } from '../../../errors.ts'
import type { GitTreeEntry } from '../../git/read-tree.ts'
import { findLeftOutReason } from '../../packing/left-out.ts'
import { findPathConflict } from '../../packing/path-problems.ts'
import {
  archiveTooLargeError,
  DOWNLOAD_LIMITS,
  type ArchiveLimits,
} from '../../packing/read/archive-error.ts'
import type { GitPlace } from '../source-place.ts'
import { describeGitPlace } from './git-text.ts'

/** The entries that belong to the skill, checked before any content is read. */
export function checkGitEntries(
  entries: readonly GitTreeEntry[],
  place: GitPlace,
  limits: ArchiveLimits = DOWNLOAD_LIMITS,
): GitTreeEntry[] {
  const kept = entries.filter(({ path }) => !isLeftOut(path))
  if (kept.length > limits.files) throw archiveTooLargeError('files', limits)
  const bytes = kept.reduce((sum, { size }) => sum + size, 0)
  if (bytes > limits.bytes) throw archiveTooLargeError('bytes', limits)
  for (const { path, type } of kept) {
    if (type !== 'file') throw entryError(place, path, `is a ${TYPES[type]}`)
  }
  const conflict = findPathConflict(kept.map(({ path }) => path.normalize('NFC')))
  if (conflict) throw entryError(place, conflict.path, conflict.problem)
  return kept
}

/** The files that do not belong to the skill; undefined above the limits, or if one is a link. */
export function listLeftOutEntries(entries: readonly GitTreeEntry[]): GitTreeEntry[] | undefined {
  const leftOut = entries.filter(({ path }) => isLeftOut(path))
  const bytes = leftOut.reduce((sum, { size }) => sum + size, 0)
  const isBounded = leftOut.length <= DOWNLOAD_LIMITS.files && bytes <= DOWNLOAD_LIMITS.bytes
  return isBounded && leftOut.every(({ type }) => type === 'file') ? leftOut : undefined
}

const TYPES = { symlink: 'symbolic link', submodule: 'submodule', special: 'special file' }

/** Caches, files of editors and of version control, as in a folder on disk. */
function isLeftOut(path: string): boolean {
  const parts = path.split('/')
  return parts.some((_, at) => {
    const reason = findLeftOutReason(parts.slice(0, at + 1).join('/'))
    return reason !== undefined && reason !== 'tests'
  })
}

function entryError(place: GitPlace, path: string, problem: string): SkillsError {
  return new SkillsError(
    'skill/invalid',
    `Cannot install from "${describeGitPlace(place)}": ${JSON.stringify(path.slice(0, 200))} ${problem}`,
    { hint: 'Ask its author to replace it by a regular file' },
  )
}
