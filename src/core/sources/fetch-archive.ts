import { hash } from 'node:crypto'
import { SkillsError } from '../../errors.ts'
import type { PackedFile } from '../packing/packed-file.ts'
import { DOWNLOAD_LIMITS } from '../packing/read/archive-error.ts'
import { readArchive } from '../packing/read/read-archive.ts'
import { removeWrapper } from '../packing/read/remove-wrapper.ts'
import {
  BUNDLE_EXTENSION,
  mergeBundles,
  parseBundle,
  SIGSTORE_EXTENSION,
} from '../signing/envelope/bundle-file.ts'
import { downloadError, downloadFile, type DownloadLimits } from './download.ts'
import {
  DOWNLOAD_TIMEOUT_MS,
  FOLDER_LIMITS,
  type FetchedFolder,
  type FetchedSkill,
  type FetchOptions,
} from './fetched-skill.ts'
import type { ArchivePlace } from './source-place.ts'

const MAX_BUNDLE_BYTES = 1024 ** 2
/** Milliseconds for an archive with many skills, if the caller names none. */
const FOLDER_TIMEOUT_MS = 120_000

export async function unpackSkill(
  bytes: Uint8Array,
): Promise<Pick<FetchedSkill, 'archiveDigest' | 'archiveBytes'> & { files: PackedFile[] }> {
  const files = removeWrapper(await readArchive(bytes))
  return { files, archiveDigest: `sha256:${hash('sha256', bytes)}`, archiveBytes: bytes }
}

/** Form of a downloaded skill: an archive, or a SKILL.md alone. */
type DownloadedForm = 'archive' | 'skill-md'

/** Downloads an archive, or a skill that is a SKILL.md only, with the signatures next to it. */
export async function fetchArchive(
  { url, digest }: ArchivePlace,
  { signal, timeoutMs = DOWNLOAD_TIMEOUT_MS }: Omit<FetchOptions, 'env'>,
  expected?: DownloadedForm,
): Promise<FetchedSkill> {
  const limits = { bytes: DOWNLOAD_LIMITS.archiveBytes, timeoutMs }
  const bytes = await downloadFile(url, limits, signal)
  if (!bytes) throw downloadError(url, 'the server does not have it')
  const found = `sha256:${hash('sha256', bytes)}`
  // Compared before the bytes are parsed.
  if (digest !== undefined && found !== digest) {
    const problem = `its digest is ${found}, expected ${digest}`
    throw new SkillsError('remote/unexpected', `Cannot download "${url.href}": ${problem}`, {
      hint: 'Do not use this file: ask its publisher which digest is right',
    })
  }
  const form = findForm(bytes)
  if (form === 'archive' && url.pathname.endsWith('/SKILL.md')) {
    throw downloadError(url, 'it is not a SKILL.md: it has no front matter between lines of "---"')
  }
  if (expected !== undefined && form !== expected) {
    throw downloadError(url, `it is not of the type "${expected}"`)
  }
  const signatures = await downloadSignatures(url, { bytes: MAX_BUNDLE_BYTES, timeoutMs }, signal)
  const files = [{ path: 'SKILL.md', isExecutable: false, bytes }]
  const content =
    form === 'skill-md'
      ? { files, archiveDigest: found, archiveBytes: bytes }
      : await unpackSkill(bytes)
  return {
    ...content,
    ...signatures,
    resolved: `${url.href}#${found.replace(':', '=')}`,
  }
}

/** Downloads the files with signatures next to an archive. */
async function downloadSignatures(
  url: URL,
  limits: DownloadLimits,
  signal: AbortSignal,
): Promise<Pick<FetchedSkill, 'envelopes' | 'bundle'>> {
  const found = []
  for (const extension of [BUNDLE_EXTENSION, SIGSTORE_EXTENSION]) {
    const bundle = new URL(url)
    bundle.pathname += extension
    const bytes = await downloadFile(bundle, limits, signal)
    if (bytes) found.push({ envelopes: parseBundle(bytes.toString('utf8'), bundle.href) })
  }
  const bundle = `${url.href}${BUNDLE_EXTENSION}`
  return { bundle, envelopes: found.length > 0 ? mergeBundles(found, bundle) : undefined }
}

/** The first bytes decide: servers send wrong types, and addresses need no extension. */
function findForm(bytes: Buffer): DownloadedForm {
  const start = bytes
    .subarray(0, 6)
    .toString('utf8')
    .replace(/^\ufeff/, '')
  return start.startsWith('---') ? 'skill-md' : 'archive'
}

/** Downloads an archive with all its skills. */
export async function fetchArchiveFolder(
  { url, digest }: ArchivePlace,
  { signal, timeoutMs = FOLDER_TIMEOUT_MS }: FetchOptions,
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
