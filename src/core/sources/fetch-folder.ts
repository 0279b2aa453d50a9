import { hash } from 'node:crypto'
import type { PackedFile } from '../packing/packed-file.ts'
import { readArchive, readArchiveFile } from '../packing/read/read-archive.ts'
import type { ArchiveLimits } from '../packing/read/archive-error.ts'
import { fetchGitFolder } from './git/fetch-git-folder.ts'
import { downloadError, downloadFile } from './download.ts'
import { fetchSource } from './fetch-source.ts'
import type { FetchOptions } from './fetched-skill.ts'
import type { SkillSourcePlace } from './source-place.ts'

/** Limits of a source with many skills. */
export const FOLDER_LIMITS: ArchiveLimits = {
  archiveBytes: 64 * 1024 ** 2,
  files: 5000,
  bytes: 128 * 1024 ** 2,
  ratio: 200,
}

/** All files of a source in memory. */
export interface FetchedFolder {
  files: readonly PackedFile[]
  /** The source with a commit, a digest or an exact version; undefined for a local archive. */
  resolved: string | undefined
}

const TIMEOUT_MS = 120_000

/** Reads all files of a source, which may have many skills. Nothing is executed. */
export async function fetchFolder(
  place: SkillSourcePlace,
  options: FetchOptions,
): Promise<FetchedFolder> {
  if (place.type === 'archive') {
    return { files: await readArchiveFile(place.path, FOLDER_LIMITS), resolved: undefined }
  }
  if (place.type === 'url') return await fetchArchiveFolder(place, options)
  if (place.type === 'git')
    return await fetchGitFolder(place, { ...options, limits: FOLDER_LIMITS })
  const { files, resolved } = await fetchSource(place, options)
  return { files, resolved }
}

async function fetchArchiveFolder(
  { url, digest }: Extract<SkillSourcePlace, { type: 'url' }>,
  { signal, timeoutMs = TIMEOUT_MS }: FetchOptions,
): Promise<FetchedFolder> {
  const bytes = await downloadFile(url, { bytes: FOLDER_LIMITS.archiveBytes, timeoutMs }, signal)
  if (!bytes) throw downloadError(url, 'the server does not have it')
  const found = hash('sha256', bytes)
  // Compared before the bytes are parsed.
  if (digest !== undefined && digest !== `sha256:${found}`) {
    throw downloadError(url, `its digest is sha256:${found}, expected ${digest}`)
  }
  const files = await readArchive(bytes, FOLDER_LIMITS)
  return { files, resolved: `${url.href}#sha256=${found}` }
}
