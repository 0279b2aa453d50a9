import { hash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readUpTo } from '../../util/bytes/read-up-to.ts'
import type { PackedFile } from '../packing/packed-file.ts'
import { archiveTooLargeError, DOWNLOAD_LIMITS } from '../packing/read/archive-error.ts'
import { readArchive } from '../packing/read/read-archive.ts'
import { removeWrapper } from '../packing/read/remove-wrapper.ts'
import { readSkillFiles } from '../packing/read-skill-files.ts'
import { BUNDLE_EXTENSION, readBundle } from '../signing/envelope/bundle-file.ts'
import type { SignedEnvelope } from '../signing/envelope/dsse.ts'
import { downloadError, downloadFile } from './download.ts'
import type { SkillSourcePlace } from './skill-source.ts'

/** The files of a skill in memory, and the signatures next to them. */
export interface FetchedSkill {
  files: readonly PackedFile[]
  /** `sha256:<hex>` of the archive's bytes; undefined for a folder. */
  archiveDigest: string | undefined
  envelopes: readonly SignedEnvelope[] | undefined
  /** Path or URL of the signatures, for messages. */
  bundle: string
}

export interface FetchOptions {
  signal: AbortSignal
  /** Milliseconds for one download. */
  timeoutMs?: number
}

const TIMEOUT_MS = 60_000
const MAX_BUNDLE_BYTES = 1024 ** 2

/** Reads a skill from its source, within the limits of downloads. Nothing is executed. */
export async function fetchSource(
  place: SkillSourcePlace,
  options: FetchOptions,
): Promise<FetchedSkill> {
  if (place.type === 'url') return await fetchArchive(place, options)
  const bundle = `${place.path}${BUNDLE_EXTENSION}`
  const envelopes = readBundle(bundle)
  if (place.type === 'folder') {
    const limits = { maxFiles: DOWNLOAD_LIMITS.files, maxBytes: DOWNLOAD_LIMITS.bytes }
    const { files } = await readSkillFiles(place.path, { ...limits, withTests: true })
    return { files, archiveDigest: undefined, envelopes, bundle }
  }
  const bytes = readUpTo(place.path, DOWNLOAD_LIMITS.archiveBytes)
  if (!bytes) throw archiveTooLargeError('archiveBytes', DOWNLOAD_LIMITS)
  return { ...(await unpack(bytes)), envelopes, bundle }
}

async function unpack(
  bytes: Uint8Array,
): Promise<Pick<FetchedSkill, 'archiveDigest'> & { files: PackedFile[] }> {
  const files = removeWrapper(await readArchive(bytes))
  return { files, archiveDigest: `sha256:${hash('sha256', bytes)}` }
}

async function fetchArchive(
  { url, digest }: Extract<SkillSourcePlace, { type: 'url' }>,
  { signal, timeoutMs = TIMEOUT_MS }: FetchOptions,
): Promise<FetchedSkill> {
  const limits = { bytes: DOWNLOAD_LIMITS.archiveBytes, timeoutMs }
  const bytes = await downloadFile(url, limits, signal)
  if (!bytes) throw downloadError(url, 'the server does not have it')
  const found = `sha256:${hash('sha256', bytes)}`
  // Compared before the bytes are parsed.
  if (digest !== undefined && found !== digest) {
    throw downloadError(url, `its digest is ${found}, expected ${digest}`)
  }
  const bundle = new URL(url)
  bundle.pathname += BUNDLE_EXTENSION
  const signatures = await downloadFile(bundle, { bytes: MAX_BUNDLE_BYTES, timeoutMs }, signal)
  return {
    ...(await unpack(bytes)),
    envelopes: signatures && parseDownloadedBundle(signatures),
    bundle: bundle.href,
  }
}

function parseDownloadedBundle(bytes: Uint8Array): SignedEnvelope[] | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'skills-bundle-'))
  try {
    const file = join(folder, `archive${BUNDLE_EXTENSION}`)
    writeFileSync(file, bytes)
    return readBundle(file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
