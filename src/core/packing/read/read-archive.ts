import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import { SkillsError, throwIfExhausted } from '../../../errors.ts'
import { readAt } from '../../../util/bytes/read-at.ts'
import type { PackedFile } from '../packed-file.ts'
import { ArchiveEntries } from './archive-entries.ts'
import {
  archiveTooLargeError,
  DOWNLOAD_LIMITS,
  invalidArchiveError,
  type ArchiveLimits,
} from './archive-error.ts'
import { readGzip } from './read-gzip.ts'
import { readTar } from './read-tar.ts'
import { readZip } from './read-zip.ts'

/**
 * Reads the files of a tar, gzipped or plain, or zip archive from anywhere. Refuses links, paths that lead
 * out, names that collide, data that belongs to no file, and whatever readers could disagree on.
 */
export async function readArchive(
  bytes: Uint8Array,
  limits: ArchiveLimits = DOWNLOAD_LIMITS,
): Promise<PackedFile[]> {
  if (bytes.length > limits.archiveBytes) throw archiveTooLargeError('archiveBytes', limits)
  const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const entries = new ArchiveEntries(limits)
  if (archive[0] === 0x1f && archive[1] === 0x8b) {
    return readTar(await readGzip(archive, limits), entries)
  }
  if (archive[0] === 0x50 && archive[1] === 0x4b) return await readZip(archive, entries)
  if (archive.toString('latin1', 257, 262) === 'ustar') return readTar(archive, entries)
  throw invalidArchiveError('it is neither a tar archive nor a zip archive')
}

/** Reads an archive on disk, of which at most the allowed size is read. */
export async function readArchiveFile(
  path: string,
  limits: ArchiveLimits = DOWNLOAD_LIMITS,
): Promise<PackedFile[]> {
  const file = openArchive(path)
  try {
    const stat = fstatSync(file)
    if (!stat.isFile()) throw unreadableArchiveError(path)
    if (stat.size > limits.archiveBytes) throw archiveTooLargeError('archiveBytes', limits)
    return await readArchive(readAt(file, 0, stat.size), limits)
  } finally {
    closeSync(file)
  }
}

function openArchive(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (cause) {
    throwIfExhausted(cause)
    throw unreadableArchiveError(path, cause)
  }
}

function unreadableArchiveError(path: string, cause?: unknown): SkillsError {
  return new SkillsError('file/unreadable', `Cannot read the archive "${path}"`, {
    hint: 'Name an archive that "skills pack" wrote',
    cause,
  })
}
