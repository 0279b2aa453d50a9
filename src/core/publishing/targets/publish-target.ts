import type { ArchiveFormatName } from '../../packing/formats.ts'
import type { SkillArchive } from '../../packing/pack-skill.ts'
import type { PackedFile } from '../../packing/packed-file.ts'
import type { ContentEntry } from '../../skills/content/content-manifest.ts'
import type { Manifest } from '../../skills/manifest/manifest.ts'

/** A version of a skill, built once and in memory: every target gets these bytes. */
export interface SkillRelease {
  /** Name of the manifest, such as `demo.greet`. */
  skill: string
  /** Name in the format of Agent Skills, such as `greet`; the folder in archives. */
  name: string
  version: string
  manifest: Manifest
  /** Digest of the packed files. */
  tree: string
  files: readonly PackedFile[]
  entries: readonly ContentEntry[]
  archives: readonly SkillArchive[]
  /** Signatures, one envelope a line; undefined if the release is not signed. */
  bundle: Uint8Array | undefined
}

/** Names under which a target knows a skill. */
export type ReleaseNames = Pick<SkillRelease, 'skill' | 'name'>

/** A version that a target has already. */
export interface PublishedVersion {
  version: string
  /** Digest of its files; undefined if only a download would give it. */
  tree: string | undefined
  /** The reason, if the version was withdrawn. */
  yanked: string | undefined
}

/** A file, tag, blob or request that `write` makes, for people and for `--dry-run`. */
export interface PlannedWrite {
  /** Path, URL or name of what is written. */
  path: string
  /** `create` refuses to replace; `replace` is for indexes and pages. */
  action: 'create' | 'replace' | 'remove' | 'keep'
  /** Bytes; absent for what has no size. */
  size?: number
  /** `sha256:<hex>` of the bytes. */
  digest?: string
}

/** A published release, fetched back as a client fetches it. */
export interface FetchedRelease {
  files: readonly PackedFile[]
  /** Digests of the bytes that were fetched, by the name of the file. */
  archives: ReadonlyMap<string, string>
  /** Undefined if the target has no signatures. */
  bundle: Uint8Array | undefined
  /**
   * Paths of files that the target stores in its own form; the target has compared their values.
   * Empty if it stores every byte.
   */
  rewritten?: readonly string[]
  /** False if the target does not store which files are executable. */
  hasModes?: boolean
}

/** Limits and reports of one call. */
export interface PublishCall {
  signal: AbortSignal
  /** Limit for each request. */
  timeoutMs: number
  /** Reports a finished write. An interrupted call lists the reported ones. */
  onWritten(write: PlannedWrite): void
}

/** Place to which skills are published. It refuses to replace a version. */
export interface PublishTarget {
  /** As typed, without credentials. */
  readonly label: string
  /** Archives that it needs. */
  readonly formats: readonly ArchiveFormatName[]
  /** Throws if the target would not take this release; reads and writes nothing. */
  check?(release: SkillRelease): void
  /** Lists all versions, the withdrawn ones included; empty for a new skill. */
  listVersions(names: ReleaseNames, call: PublishCall): Promise<readonly PublishedVersion[]>
  /** Reads the files of a published version; undefined if the target cannot return them. */
  readFiles(
    names: ReleaseNames,
    version: string,
    call: PublishCall,
  ): Promise<readonly PackedFile[] | undefined>
  /** Returns exactly what `write` would do; writes nothing. */
  plan(release: SkillRelease, call: PublishCall): Promise<readonly PlannedWrite[]>
  /** Writes the release. What makes it visible comes last. */
  write(release: SkillRelease, call: PublishCall): Promise<void>
  fetchBack(release: SkillRelease, call: PublishCall): Promise<FetchedRelease>
  /** Withdraws a version; absent if the target cannot. */
  yank?(request: YankRequest, call: PublishCall): Promise<YankResult>
}

export interface YankRequest extends ReleaseNames {
  version: string
  reason: string
  isDryRun: boolean
}

export interface YankResult {
  /** `present`: it was withdrawn before. */
  status: 'yanked' | 'present'
  /** Version that is offered now; undefined if none is left. */
  newest: string | undefined
  writes: readonly PlannedWrite[]
}
