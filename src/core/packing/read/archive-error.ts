import { SkillsError } from '../../../errors.ts'
import { formatBytes } from '../../../util/quantity.ts'

/** Upper bounds for the content of an archive, checked before and while it is unpacked. */
export interface ArchiveLimits {
  /** Bytes of the archive itself. */
  archiveBytes: number
  /** Entries, folders included. */
  files: number
  /** Bytes of all files, unpacked. */
  bytes: number
  /** Unpacked bytes for each packed byte, for archives of more than 1 MiB unpacked. */
  ratio: number
}

/** The limits of `npx skills`, the strictest of the tools that download archives. */
export const DOWNLOAD_LIMITS: ArchiveLimits = {
  archiveBytes: 10 * 1024 ** 2,
  files: 1000,
  bytes: 25 * 1024 ** 2,
  ratio: 200,
}

/** An archive that `skills pack` would not write. */
export function invalidArchiveError(problem: string): SkillsError {
  return new SkillsError('archive/invalid', `The archive is refused: ${problem}`, {
    hint: 'Get it again from its source, or pack the skill with "skills pack"',
    data: { reason: problem },
  })
}

export function invalidEntryError(path: string, problem: string): SkillsError {
  return invalidArchiveError(`${JSON.stringify(path.slice(0, 200))} ${problem}`)
}

export function archiveTooLargeError(
  what: 'archiveBytes' | 'files' | 'bytes' | 'ratio',
  limits: ArchiveLimits,
): SkillsError {
  const texts = {
    archiveBytes: `it has more than ${formatBytes(limits.archiveBytes)}`,
    files: `it has more than ${limits.files} files and folders`,
    bytes: `it has more than ${formatBytes(limits.bytes)} unpacked`,
    ratio: `it unpacks to more than ${limits.ratio} times its size`,
  }
  return new SkillsError('archive/too-large', `The archive is refused: ${texts[what]}`, {
    hint: 'Split the skill, or pack it without large files',
    data: { limit: what, max: limits[what] },
  })
}
