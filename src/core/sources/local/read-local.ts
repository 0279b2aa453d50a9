import { readUpTo } from '../../../util/bytes/read-up-to.ts'
import { archiveTooLargeError, DOWNLOAD_LIMITS } from '../../packing/read/archive-error.ts'
import { readArchiveFile } from '../../packing/read/read-archive.ts'
import { readSkillFiles } from '../../packing/read-skill-files.ts'
import {
  BUNDLE_EXTENSION,
  listBundleFiles,
  readBundleFiles,
} from '../../signing/envelope/bundle-file.ts'
import { unpackSkill } from '../fetch-archive.ts'
import {
  FOLDER_LIMITS,
  type FetchedFolder,
  type FetchedSkill,
  type FetchOptions,
} from '../fetched-skill.ts'
import { readLocalLeftOut } from './local-left-out.ts'

/** Reads a folder, with the signatures next to it. */
export async function readLocalFolder(
  path: string,
  { withLeftOut }: FetchOptions,
): Promise<FetchedSkill> {
  const limits = { maxFiles: DOWNLOAD_LIMITS.files, maxBytes: DOWNLOAD_LIMITS.bytes }
  const { files } = await readSkillFiles(path, { ...limits, withTests: true })
  const leftOut = withLeftOut === true ? readLocalLeftOut(path, files) : undefined
  const found = { files, ...(leftOut && { leftOut }), archiveDigest: undefined }
  return { ...found, ...readSignatures(path, undefined), resolved: path }
}

/** Reads an archive, with the signatures next to it. */
export async function readLocalArchive(path: string): Promise<FetchedSkill> {
  const bytes = readUpTo(path, DOWNLOAD_LIMITS.archiveBytes)
  if (!bytes) throw archiveTooLargeError('archiveBytes', DOWNLOAD_LIMITS)
  const content = await unpackSkill(bytes)
  return { ...content, ...readSignatures(path, content.archiveDigest), resolved: path }
}

/** Reads an archive of many skills. */
export async function readFolderArchive(path: string): Promise<FetchedFolder> {
  return { files: await readArchiveFile(path, FOLDER_LIMITS), resolved: undefined }
}

function readSignatures(
  path: string,
  archiveDigest: string | undefined,
): Pick<FetchedSkill, 'envelopes' | 'bundle'> {
  const found = readBundleFiles(listBundleFiles(path, archiveDigest))
  return { envelopes: found?.envelopes, bundle: found?.place ?? `${path}${BUNDLE_EXTENSION}` }
}
