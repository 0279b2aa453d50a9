import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { stampFiles, type FolderStamp } from '../../../util/stamp-folder.ts'
import type { LastGood } from './last-good.ts'
import type { FolderFilter, RootScanner } from './scan-roots.ts'
import { buildSnapshot, type RepositorySnapshot } from './take-snapshot.ts'

interface SnapshotOptions {
  builtin: string
  lastGood: LastGood | undefined
  /** Root of uploaded skills, to which other processes add. */
  uploads: string | undefined
  /** True if queries notice edits by themselves. */
  isChecked: boolean
}

/** A scan of a few skills costs less than noticing an edit late. */
const CHEAP_SCAN_MS = 10
/** Pause after an expensive scan, as a multiple of its duration. */
const PAUSE_FACTOR = 20
const MAX_PAUSE_MS = 5000
/** Longer than the time in which two changes can have the same stamp. */
const SETTLE_MS = 120
/** After these, a skill that changes all the time is left as it is. */
const MAX_SETTLE_ROUNDS = 3

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
  #settling: Promise<void> | undefined
  /** How often each folder was signed again. */
  #settleRounds = new Map<string, number>()
  #nextCheckAt = 0

  constructor(scanner: RootScanner, options: SnapshotOptions) {
    this.#scanner = scanner
    this.#options = options
    this.#uploads = new UploadsCheck(options.uploads)
  }

  /** The current snapshot if it is available without waiting. */
  get ready(): RepositorySnapshot | undefined {
    if (this.#isCheckDue()) return undefined
    return this.#stale?.size === 0 && !this.#uploads.mayHaveChanged() ? this.#ready : undefined
  }

  /** Like `get`, for queries of callers: notices edits, unless the last scan was just now. */
  getChecked(): Promise<RepositorySnapshot> {
    if (this.#isCheckDue()) this.forget()
    return this.get()
  }

  get(): Promise<RepositorySnapshot> {
    if (this.#uploads.hasChanged()) this.#areUploadsStale = true
    if (this.#current && this.#stale?.size === 0 && !this.#areUploadsStale) return this.#current
    const uploads = this.#areUploadsStale ? this.#options.uploads : undefined
    const own = this.#scan(this.#current, createStaleFilter(this.#stale, uploads))
    this.#stale = new Set()
    this.#areUploadsStale = false
    this.#replace(own)
    return own
  }

  /**
   * Resolves when the signatures of the current snapshot show any later change. Only the first
   * snapshot waits for that: queries would otherwise wait after each upload of another caller.
   */
  async waitUntilSettled(): Promise<void> {
    await this.get()
    await this.#settling
  }

  #replace(own: Promise<RepositorySnapshot>): void {
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
  }

  /** Scans these folders again with the next snapshot, by default all. */
  forget(folders?: Iterable<string>): void {
    if (folders === undefined) {
      this.#stale = undefined
      this.#settleRounds.clear()
    } else if (this.#stale) addWithParents(this.#stale, folders)
  }

  #isCheckDue(): boolean {
    return this.#options.isChecked && this.#ready !== undefined && performance.now() >= this.#nextCheckAt
  }

  async #scan(
    before: Promise<RepositorySnapshot> | undefined,
    isStale: FolderFilter | undefined,
  ): Promise<RepositorySnapshot> {
    const old = await before?.catch(() => undefined)
    if (old) {
      const snapshot = await this.#take(old, isStale)
      this.#settling ??= this.#settleLater().finally(() => (this.#settling = undefined))
      return snapshot
    }
    let snapshot = await this.#take(undefined, undefined)
    for (let isRecent = await this.#waitForStamps(); isRecent;) {
      snapshot = await this.#take(snapshot, isRecent)
      isRecent = await this.#waitForStamps()
    }
    return snapshot
  }

  /** Signs the skills again that changed just before the last scan. */
  async #settleLater(): Promise<void> {
    for (let isRecent = await this.#waitForStamps(); isRecent;) {
      const own = this.#scan(this.#current, isRecent)
      this.#replace(own)
      await own.catch(() => {})
      isRecent = await this.#waitForStamps()
    }
  }

  /**
   * Waits until a change of the skills that were just signed gets another stamp. Returns a filter of
   * their folders; undefined if there are none, or if they change all the time.
   */
  async #waitForStamps(): Promise<FolderFilter | undefined> {
    const counts = this.#settleRounds
    const recent = this.#scanner.listRecent()
    for (const dir of counts.keys()) if (!recent.has(dir)) counts.delete(dir)
    const due = new Set([...recent].filter((dir) => (counts.get(dir) ?? 0) < MAX_SETTLE_ROUNDS))
    if (due.size === 0) return undefined
    for (const dir of due) counts.set(dir, (counts.get(dir) ?? 0) + 1)
    await sleep(SETTLE_MS)
    return (dir) => due.has(dir)
  }

  async #take(
    old: RepositorySnapshot | undefined,
    isStale: FolderFilter | undefined,
  ): Promise<RepositorySnapshot> {
    const startedAt = performance.now()
    const scanned = await this.#scanner.scan(isStale)
    const now = performance.now()
    const isCheap = now - startedAt <= CHEAP_SCAN_MS
    this.#nextCheckAt = isCheap
      ? now
      : now + Math.min((now - startedAt) * PAUSE_FACTOR, MAX_PAUSE_MS)
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
