import { hash } from 'node:crypto'
import { SkillsError } from '../../errors.ts'
import type { PackedFile } from '../packing/packed-file.ts'
import { DOWNLOAD_LIMITS } from '../packing/read/archive-error.ts'
import { readArchive } from '../packing/read/read-archive.ts'
import { removeWrapper } from '../packing/read/remove-wrapper.ts'
import { BUNDLE_EXTENSION } from '../signing/envelope/bundle-file.ts'
import { downloadError, downloadFile } from './download.ts'
import { DOWNLOAD_TIMEOUT_MS, type FetchedSkill, type FetchOptions } from './fetched-skill.ts'
import { parseDownloadedBundle } from './parse-bundle.ts'
import type { ArchivePlace } from './source-place.ts'

const MAX_BUNDLE_BYTES = 1024 ** 2

export async function unpackSkill(
  bytes: Uint8Array,
): Promise<Pick<FetchedSkill, 'archiveDigest'> & { files: PackedFile[] }> {
  const files = removeWrapper(await readArchive(bytes))
  return { files, archiveDigest: `sha256:${hash('sha256', bytes)}` }
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
  if (expected !== undefined && form !== expected) {
    throw downloadError(url, `it is not of the type "${expected}"`)
  }
  const bundle = new URL(url)
  bundle.pathname += BUNDLE_EXTENSION
  const signatures = await downloadFile(bundle, { bytes: MAX_BUNDLE_BYTES, timeoutMs }, signal)
  const content =
    form === 'skill-md'
      ? { files: [{ path: 'SKILL.md', isExecutable: false, bytes }], archiveDigest: found }
      : await unpackSkill(bytes)
  return {
    ...content,
    envelopes: signatures && parseDownloadedBundle(signatures),
    bundle: bundle.href,
    resolved: `${url.href}#${found.replace(':', '=')}`,
  }
}

/** The first bytes decide: servers send wrong types, and addresses need no extension. */
function findForm(bytes: Buffer): DownloadedForm {
  const start = bytes
    .subarray(0, 6)
    .toString('utf8')
    .replace(/^\ufeff/, '')
  return start.startsWith('---') ? 'skill-md' : 'archive'
}
