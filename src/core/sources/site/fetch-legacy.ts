import type { PackedFile } from '../../packing/packed-file.ts'
import { findPathConflict } from '../../packing/path-problems.ts'
import { archiveTooLargeError, DOWNLOAD_LIMITS } from '../../packing/read/archive-error.ts'
import type { JsonValue } from '../../signing/envelope/strict-json.ts'
import { downloadError, downloadFile, slowDownloadError } from '../download.ts'
import { DOWNLOAD_TIMEOUT_MS, type FetchedSkill, type FetchOptions } from '../fetched-skill.ts'
import type { SitePlace } from '../source-place.ts'
import { formatSite, siteError } from './site-index.ts'

/** Each file is a request. */
const MAX_FILES = 200

/** Downloads the files that an index of version 0.1 lists. It has no digests. */
export async function fetchLegacyFiles(
  place: SitePlace,
  { url, value }: { url: URL; value: JsonValue },
  { signal, timeoutMs = DOWNLOAD_TIMEOUT_MS }: FetchOptions,
): Promise<FetchedSkill> {
  const paths = value.at('files').texts(MAX_FILES)
  const conflict = findPathConflict(paths)
  if (conflict) {
    throw siteError(place, `its file ${JSON.stringify(conflict.path)} ${conflict.problem}`)
  }
  if (!paths.includes('SKILL.md')) throw value.at('files').refuse('a list with "SKILL.md"')
  const files: PackedFile[] = []
  let left = DOWNLOAD_LIMITS.bytes
  const end = performance.now() + timeoutMs
  for (const path of paths) {
    if (left <= 0) throw archiveTooLargeError('bytes', DOWNLOAD_LIMITS)
    // Many files that are slow one by one are one slow download.
    if (performance.now() > end) throw slowDownloadError(url, timeoutMs)
    const encoded = [place.name, ...path.split('/')].map(encodeURIComponent).join('/')
    const file = new URL(encoded, url)
    const bytes = await downloadFile(file, { bytes: left, timeoutMs }, signal)
    if (!bytes) throw downloadError(file, 'the server does not have it')
    left -= bytes.length
    files.push({ path, isExecutable: false, bytes })
  }
  return {
    files,
    archiveDigest: undefined,
    envelopes: undefined,
    bundle: `${formatSite(place)}#${place.name}`,
    resolved: `${place.url.href}#${place.name}`,
  }
}
