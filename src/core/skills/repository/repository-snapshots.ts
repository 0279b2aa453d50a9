import { dirname, join } from 'node:path'
import { stampFiles, type FolderStamp } from '../../../util/stamp-folder.ts'
import type { LastGood } from './last-good.ts'
import type { FolderFilter, RootScanner } from './scan-roots.ts'
import { buildSnapshot, type RepositorySnapshot } from './take-snapshot.ts'

interface SnapshotOptions {
  builtin: string
  lastGood: LastGood | undefined
  /** Root of uploaded skills, to which other processes add. */
  uploads: string | undefined
}

/** The current snapshot of a repository, taken again if folders may have changed. */
export class RepositorySnapshots {
  #scanner: RootScanner
  #options: SnapshotOptions
  #uploads: UploadsCheck
  #current: Promise<RepositorySnapshot> | undefined
  #ready: RepositorySnapshot | undefined
  /** Folders that may have changed since the last scan; undefined means all. */
  #stale: Set<string> | undefined
  #areUploadsStale = false

  constructor(scanner: RootScanner, options: SnapshotOptions) {
    this.#scanner = scanner
    this.#options = options
    this.#uploads = new UploadsCheck(options.uploads)
  }

  /** The current snapshot if it is available without waiting. */
  get ready(): RepositorySnapshot | undefined {
    return this.#stale?.size === 0 && !this.#uploads.mayHaveChanged() ? this.#ready : undefined
  }

  get(): Promise<RepositorySnapshot> {
    if (this.#uploads.hasChanged()) this.#areUploadsStale = true
    if (this.#current && this.#stale?.size === 0 && !this.#areUploadsStale) return this.#current
    const uploads = this.#areUploadsStale ? this.#options.uploads : undefined
    const own = this.#scan(this.#current, createStaleFilter(this.#stale, uploads))
    this.#stale = new Set()
    this.#areUploadsStale = false
    this.#ready = undefined
    this.#current = own
    own.then(
      (snapshot) => {
        if (this.#current === own) this.#ready = snapshot
        return undefined
      },
      () => {
        if (this.#current === own) this.#current = this.#stale = undefined
      },
    )
    return own
  }

  /** Scans these folders again with the next snapshot, by default all. */
  forget(folders?: Iterable<string>): void {
    if (folders === undefined) this.#stale = undefined
    else if (this.#stale) addWithParents(this.#stale, folders)
  }

  async #scan(
    before: Promise<RepositorySnapshot> | undefined,
    isStale: FolderFilter | undefined,
  ): Promise<RepositorySnapshot> {
    const old = await before?.catch(() => undefined)
    const scanned = await this.#scanner.scan(old && isStale)
    return keepSameEntries(old, buildSnapshot(scanned, this.#options))
  }
}

/** Keeps the list object if no skill changed, because other data is cached by it. */
function keepSameEntries(
  old: RepositorySnapshot | undefined,
  now: RepositorySnapshot,
): RepositorySnapshot {
  const isSame =
    old?.entries.length === now.entries.length &&
    now.entries.every((entry, at) => entry === old.entries[at])
  return isSame ? { ...now, entries: old.entries } : now
}

/** A change in a folder concerns the folders above it as well. */
function addWithParents(all: Set<string>, folders: Iterable<string>): void {
  for (const folder of folders) {
    for (let dir = folder; !all.has(dir); dir = dirname(dir)) all.add(dir)
  }
}

/** Versions that were uploaded never change, so only the folders above them are read again. */
function createStaleFilter(
  folders: ReadonlySet<string> | undefined,
  uploads: string | undefined,
): FolderFilter | undefined {
  if (!folders) return undefined
  return (dir) => folders.has(dir) || dir === uploads || dirname(dir) === uploads
}

/**
 * Notices uploads of other processes: a new skill is renamed out of the folder of drafts, which
 * changes that folder.
 */
class UploadsCheck {
  #paths: readonly string[]
  #seen: FolderStamp | undefined

  constructor(uploads: string | undefined) {
    this.#paths = uploads === undefined ? [] : [uploads, join(uploads, '.drafts')]
  }

  /** True if an upload was added since the last call, or possibly at the time of that call. */
  hasChanged(): boolean {
    const now = stampFiles(this.#paths)
    const isSame = this.#seen?.text === now.text
    // A later change could have the same stamp.
    this.#seen = now.isSettled ? now : undefined
    return !isSame && this.#paths.length > 0
  }

  /** The same without effect on the next call. */
  mayHaveChanged(): boolean {
    return this.#paths.length > 0 && this.#seen?.text !== stampFiles(this.#paths).text
  }
}
