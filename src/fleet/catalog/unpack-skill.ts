import { readArchive } from '../../core/packing/read/read-archive.ts'
import { archiveTooLargeError, invalidArchiveError } from '../../core/packing/read/archive-error.ts'
import { describeFiles, type PackedFile } from '../../core/packing/packed-file.ts'
import { writePackedFiles } from '../../core/packing/write-files.ts'
import { digestContent } from '../../core/skills/content/content-manifest.ts'
import type { Manifest } from '../../core/skills/manifest/manifest.ts'
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
  const files = await readArchivedFiles(objects, entry)
  checkIdentity(files, entry)
  writePackedFiles(target, files, { isDurable: false })
  const written = await readFolderDigest(target)
  if (written.digest === entry.digest) return written
  throw otherDigestError(written.digest, entry)
}

/** Reads the manifest of an entry from its archive. Throws if its files are not those that it names. */
export async function readCatalogManifest(
  objects: Objects,
  entry: CatalogEntry,
): Promise<Manifest> {
  const files = await readArchivedFiles(objects, entry)
  const digest = digestContent(describeFiles(files))
  if (digest !== entry.digest) throw otherDigestError(digest, entry)
  return checkIdentity(files, entry)
}

async function readArchivedFiles(
  objects: Objects,
  { object }: CatalogEntry,
): Promise<PackedFile[]> {
  const { archiveBytes } = CATALOG_ARCHIVE_LIMITS
  if (object.size > archiveBytes) throw archiveTooLargeError('archiveBytes', CATALOG_ARCHIVE_LIMITS)
  return [...(await readArchive(await objects.readAll(object), CATALOG_ARCHIVE_LIMITS))]
}

function otherDigestError(digest: string, entry: CatalogEntry): Error {
  return invalidArchiveError(`its files have the digest ${digest}, not ${entry.digest}`)
}
