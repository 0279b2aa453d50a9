import type { GitRepository } from '../git/open-repository.ts'
import type { PackedFile } from '../packing/packed-file.ts'
import type { ArchiveLimits } from '../packing/read/archive-error.ts'
import type { SignedEnvelope } from '../signing/envelope/dsse.ts'

/** The files of a skill in memory, and the signatures next to them. */
export interface FetchedSkill {
  files: readonly PackedFile[]
  /**
   * Files of the source that are not installed, such as .gitignore. Present on request; undefined
   * above the limits of downloads, and without links.
   */
  leftOut?: readonly PackedFile[] | undefined
  /** `sha256:<hex>` of the archive's bytes; undefined for a folder. */
  archiveDigest: string | undefined
  /** Other digests of the same archive, or of the manifest that names it. */
  otherDigests?: readonly string[]
  /** Bytes of the archive, if a signature may be over them alone. */
  archiveBytes?: Uint8Array
  /** `pkg:npm/name@version`, which attestations of a registry of npm name. */
  packageUrl?: string | undefined
  envelopes: readonly SignedEnvelope[] | undefined
  /** Path or URL of the signatures, for messages. */
  bundle: string
  /** Source that fetches the same files again: a path, or an address with a digest or a commit. */
  resolved: string
  /** A name that its publisher promised to keep for these files. */
  fixed?: { tag: string } | { version: string } | undefined
  /** Name under which a site lists the skill. */
  listed?: string | undefined
  /** Reason for which the publisher withdrew this version. */
  yanked?: string | undefined
}

/** All files of a source in memory, which may have many skills. */
export interface FetchedFolder {
  files: readonly PackedFile[]
  /** The source with a commit, a digest or an exact version; undefined for a local archive. */
  resolved: string | undefined
}

/** Limits of a source with many skills. */
export const FOLDER_LIMITS: ArchiveLimits = {
  archiveBytes: 64 * 1024 ** 2,
  files: 5000,
  bytes: 128 * 1024 ** 2,
  ratio: 200,
}

/** True if one of its signatures may be about its archive, which has to be known for them. */
export function isAttested({ envelopes }: Pick<FetchedSkill, 'envelopes'>): boolean {
  return envelopes?.some((each) => each.sigstore !== undefined) === true
}

export interface FetchOptions {
  signal: AbortSignal
  /** Variables of the caller, for programs of the host and their proxies. */
  env: Readonly<Record<string, string | undefined>>
  /** Milliseconds for one download. */
  timeoutMs?: number
  /** Reads the files that are not installed, too. */
  withLeftOut?: boolean
  /** The repository of the place at its reference, if it is open: it is not fetched again. */
  repository?: GitRepository | undefined
}

/** Milliseconds for one download, if its caller names none. */
export const DOWNLOAD_TIMEOUT_MS = 60_000
