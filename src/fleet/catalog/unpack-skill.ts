import { readArchive } from '../../core/packing/read/read-archive.ts'
import { archiveTooLargeError, invalidArchiveError } from '../../core/packing/read/archive-error.ts'
import { writePackedFiles } from '../../core/packing/write-files.ts'
import type { Objects } from '../objects/objects.ts'
import type { CatalogEntry } from './catalog-entry.ts'
import { CATALOG_ARCHIVE_LIMITS } from './catalog-limits.ts'
import { checkIdentity } from './check-identity.ts'
import { readFolderDigest, type FolderDigest } from './folder-digest.ts'

/** Writes the files of an entry to a new folder. Throws if they are not those that it names. */
export async function unpackSkill(
  objects: Objects,
  entry: CatalogEntry,
  target: string,
): Promise<FolderDigest> {
  const { archiveBytes } = CATALOG_ARCHIVE_LIMITS
  if (entry.object.size > archiveBytes) {
    throw archiveTooLargeError('archiveBytes', CATALOG_ARCHIVE_LIMITS)
  }
  const files = await readArchive(await objects.readAll(entry.object), CATALOG_ARCHIVE_LIMITS)
  checkIdentity(files, entry)
  writePackedFiles(target, files, { isDurable: false })
  const written = await readFolderDigest(target)
  if (written.digest === entry.digest) return written
  throw invalidArchiveError(`its files have the digest ${written.digest}, not ${entry.digest}`)
}
