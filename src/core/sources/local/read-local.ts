import { realpathSync } from 'node:fs'
import type { PackedFile } from '../../packing/packed-file.ts'
import { readSkillFiles } from '../../packing/read-skill-files.ts'
import { DOWNLOAD_LIMITS, archiveTooLargeError } from '../../packing/read/archive-error.ts'
import { readArchiveFile } from '../../packing/read/read-archive.ts'
import {
  BUNDLE_EXTENSION,
  listBundleFiles,
  readBundleFiles,
} from '../../signing/envelope/bundle-file.ts'
import { listContent } from '../../skills/content/list-content.ts'
import { readContentFile } from '../../skills/content/read-content.ts'
import { unpackSkill } from '../fetch-archive.ts'
import {
  FOLDER_LIMITS,
  type FetchOptions,
  type FetchedFolder,
  type FetchedSkill,
} from '../fetched-skill.ts'
import { SkillsError } from '../../../errors.ts'
import { readUpTo } from '../../../util/bytes/read-up-to.ts'

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

/** Folders of others, which may be large. */
const SKIPPED = /(?:^|\/)(?:\.git|node_modules)$/

/** Files of a folder that are not installed, without links; undefined above the limits. */
export function readLocalLeftOut(
  folder: string,
  installed: readonly PackedFile[],
): PackedFile[] | undefined {
  const paths = new Set(installed.map(({ path }) => path))
  try {
    const root = realpathSync.native(folder)
    const listed = listContent(folder, (path, isFolder) => isFolder && SKIPPED.test(path))
    const leftOut = listed.filter(({ path, isLink }) => !isLink && !paths.has(path))
    if (leftOut.length > DOWNLOAD_LIMITS.files) return undefined
    let left: number = DOWNLOAD_LIMITS.bytes
    const files: PackedFile[] = []
    for (const each of leftOut) {
      const read = readContentFile(root, each, { maxBytes: left })
      if (!read) return undefined
      left -= read.bytes.length
      files.push({ path: each.path, ...read })
    }
    return files
  } catch (thrown) {
    if (thrown instanceof SkillsError && thrown.code !== 'host/exhausted') return undefined
    throw thrown
  }
}
