/** One file of a snapshot. */
export interface SnapshotFile {
  /** `link` is a symbolic link, which is never followed; `special` is neither file nor link. */
  type: 'file' | 'link' | 'special'
  /** Permission bits. */
  mode: number
  size: number
  /** SHA-256 of the bytes, or of a link's target, in hex. */
  digest: string
  /** Absent for files above the limit, which are compared by their digests. */
  bytes?: Uint8Array
  /** Target of a link, as written. */
  target?: string
}

/**
 * All files of a skill at one time, in memory. A folder, a commit of git and an archive each have a
 * reader that returns one.
 */
export interface ContentSnapshot {
  /** Name for people, such as `skills/greet` or `skills/greet at HEAD`. */
  label: string
  /** Folder name of the skill, which names a plain Agent Skill without a name. */
  folder: string
  /** By path, with forward slashes. */
  files: ReadonlyMap<string, SnapshotFile>
  /** Sentences about parts that were not read. */
  omissions: readonly string[]
}

/** Limit on the bytes of one file that are kept; also the limit of texts in other areas. */
export const MAX_KEPT_FILE = 1024 * 1024
/** Limit on the bytes that one snapshot keeps. */
export const MAX_KEPT_TOTAL = 64 * 1024 * 1024
/** Limit on the bytes that are read for digests. */
export const MAX_READ_TOTAL = 1024 * 1024 * 1024
/** Limit on files. */
export const MAX_SNAPSHOT_FILES = 10_000
