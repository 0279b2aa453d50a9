import {
  closeSync,
  constants,
  fstatSync,
  fsync,
  ftruncateSync,
  openSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { syncFolder } from '../../util/durable-file.ts'
import { HeadWriter, readHead } from './audit-head.ts'
import { getEpoch, getFirstSeq, getSegmentPath, filterSegments } from './audit-paths.ts'
import type { AuditEntry, AuditRepair } from './audit-record.ts'
import { compareWithHead, findTail, type LogTail } from './audit-tail.ts'
import { encodeLine, CHAIN_START, type ChainLink } from './chain.ts'
import { FencedError, findHighestFence, type OwnedLock } from './fencing.ts'
import {
  isRotationDue,
  planPruning,
  removePruned,
  type PrunableSegment,
  type Retention,
} from './prune-segments.ts'

const APPEND_TO_EXISTING = constants.O_WRONLY | constants.O_APPEND

/** A reader of a range has little to skip, and the log few files. */
const MAX_FILE_BYTES = 64 * 1024 ** 2

const fsyncFile = promisify(fsync)

export interface AuditLogOptions extends Retention {
  /** Size in bytes at which the log continues in a new segment. */
  maxFileBytes?: number | undefined
}

interface LockedLogInput {
  dir: string
  lock: OwnedLock
  /** Names in the folder. */
  names: readonly string[]
  /** End of the log as this process left it; read again if the file changed since. */
  lastTail: LogTail | undefined
  options: AuditLogOptions
  /** True after segments could not be removed, for example because they are immutable. */
  cannotPrune: boolean
}

/**
 * A log while its lock is held: no other process writes to it, so its end is cached and its files
 * stay open.
 */
export class LockedLog {
  #input: LockedLogInput
  #tail: LogTail
  #head: HeadWriter
  #fd: number | undefined
  /** A file is not closed before its sync is done. */
  #syncing: Promise<void> | undefined
  /** Records about the log itself, written before any other record. */
  #repairs: AuditRepair[]
  #prunable: readonly PrunableSegment[]
  /** True if the next record starts a new segment, whatever the size of this one. */
  #isRotationDue: boolean
  #cannotPrune: boolean
  #hasRotated = false

  /** Requires the lock. */
  constructor(found: LockedLogInput) {
    const { dir, names, options } = found
    this.#input = found
    this.#cannotPrune = found.cannotPrune
    this.#head = new HeadWriter(dir)
    const tail = findCurrentTail(found)
    const head = readHead(dir)
    // Writes the head before the first record: a head that is missing later was removed.
    if (tail.file === undefined && !head) this.#head.write(CHAIN_START)
    const damage = compareWithHead(tail.link, head)
    this.#prunable = found.cannotPrune ? [] : planPruning(dir, names, options)
    const removals = this.#prunable.map(({ record }) => record)
    this.#repairs = [...tail.repairs, ...(damage ? [damage] : []), ...removals]
    // The numbers of missing records are never reused, so that a gap remains visible.
    const seq = damage ? Math.max(tail.link.seq, head?.seq ?? 0) : tail.link.seq
    this.#tail = { ...tail, link: { ...tail.link, seq }, repairs: [] }
    this.#isRotationDue = tail.file !== undefined && isRotationDue(tail.file, options)
  }

  /** Current end of the log. */
  get tail(): LogTail {
    return this.#tail
  }

  /** True after the log continued in a new segment: older ones may be pruned. */
  get hasRotated(): boolean {
    return this.#hasRotated
  }

  /** True if segments could not be removed. */
  get cannotPrune(): boolean {
    return this.#cannotPrune
  }

  /**
   * True if the segment is unchanged since the last write; a program that ignores the lock may have
   * modified it.
   */
  isIntact(): boolean {
    if (this.#fd === undefined) return true
    const { nlink, size } = fstatSync(this.#fd)
    return nlink > 0 && size === this.#tail.size
  }

  /**
   * Appends records in one write: all of them or none. They survive the death of this process.
   * Throws FencedError if the lock was lost: the records may be in the log or not.
   */
  async write(entries: readonly (AuditEntry | AuditRepair)[]): Promise<ChainLink[]> {
    const all = [...this.#repairs, ...entries]
    const links: ChainLink[] = []
    const time = new Date()
    let { link } = this.#tail
    let text = ''
    for (const entry of all) {
      const encoded = encodeLine(entry, link, time)
      text += encoded.line
      link = encoded.link
      links.push(link)
    }
    const entryLinks = links.slice(all.length - entries.length)
    try {
      if (all.length > 0) await this.#append(Buffer.from(text), link.seq + 1 - all.length)
      this.#tail = { ...this.#tail, link }
      this.#repairs = []
      if (this.#prunable.length > 0) await this.#prune()
    } catch (error) {
      // The process that took over may have replaced or removed the files.
      throw this.#input.lock.isFenced() ? new FencedError(entryLinks) : error
    }
    return entryLinks
  }

  /** Makes all written records durable, then updates the head. */
  async sync(): Promise<ChainLink> {
    const { link, file } = this.#tail
    if (file === undefined) return link
    const done = fsyncFile(this.#openFile(file))
    this.#syncing = done.catch(() => {})
    await done
    // The process that took over writes the head: it may have added records.
    if (!this.#input.lock.isFenced()) this.#head.write(link)
    return link
  }

  /** Never throws: synced data remains on disk. */
  close(): void {
    try {
      this.#head.close()
      this.#closeFile()
    } catch {
      // No caller was promised the data that is missing.
    }
  }

  async #append(bytes: Buffer, first: number): Promise<void> {
    const { file } = this.#tail
    const isNew =
      file === undefined ||
      this.#isFull(this.#tail.size, bytes.length) ||
      !this.#canAppendTo(file, first)
    if (isNew) await this.#rotateFile(first)
    const fd = this.#openFile(this.#tail.file as string)
    const { size } = this.#tail
    const newSize = writeAllOrTruncate(fd, bytes, size)
    if (this.#input.lock.isFenced()) throw new FencedError()
    this.#tail = { ...this.#tail, size: newSize }
    if (isNew) await syncFolder(this.#input.dir)
  }

  /** An owner that was fenced off may have left an empty segment, which it may have open. */
  #canAppendTo(file: string, first: number): boolean {
    if (this.#tail.size > 0) return true
    const { names, lock } = this.#input
    const isOwn = findHighestFence(names) === 0 || getEpoch(file) === lock.number
    return isOwn && getFirstSeq(file) === first
  }

  #isFull(size: number, more: number): boolean {
    return (
      size > 0 &&
      (this.#isRotationDue || size + more > (this.#input.options.maxFileBytes ?? MAX_FILE_BYTES))
    )
  }

  async #rotateFile(first: number): Promise<void> {
    const { file } = this.#tail
    // The end of the previous segment must be durable before the new one exists.
    if (file !== undefined) await fsyncFile(this.#openFile(file))
    await this.#syncing
    this.#closeFile()
    this.#isRotationDue = false
    this.#hasRotated = true
    this.#tail = { ...this.#tail, file: this.#createFile(first), size: 0 }
  }

  /** Creates a segment. Its name is new, so that no other owner of the lock writes to it. */
  #createFile(first: number): string {
    const { dir, names, lock } = this.#input
    const plain = getSegmentPath(dir, first)
    const numbered = getSegmentPath(dir, first, lock.number)
    const candidates = findHighestFence(names) === 0 ? [plain, numbered] : [numbered]
    for (const [at, file] of candidates.entries()) {
      try {
        this.#fd = openSync(file, 'ax', 0o600)
        return this.#requireLock(file)
      } catch (error) {
        const isTaken = (error as NodeJS.ErrnoException).code === 'EEXIST'
        if (!isTaken || at === candidates.length - 1) throw error
      }
    }
    return plain
  }

  async #prune(): Promise<void> {
    await this.sync()
    // The record of the removal must be in the log.
    if (this.#input.lock.isFenced()) throw new FencedError()
    // A segment that cannot be removed must not fail a run.
    await removePruned(this.#input.dir, this.#prunable).catch(() => (this.#cannotPrune = true))
    this.#prunable = []
  }

  #openFile(file: string): number {
    if (this.#fd === undefined) {
      this.#fd = openSync(file, APPEND_TO_EXISTING)
      this.#requireLock(file)
    }
    return this.#fd
  }

  /**
   * Call it after a file was opened. If the lock is lost later, the file is replaced by a copy, and
   * this process writes to the old one.
   */
  #requireLock(file: string): string {
    if (!this.#input.lock.isFenced()) return file
    this.#closeFile()
    throw new FencedError()
  }

  #closeFile(): void {
    if (this.#fd !== undefined) closeSync(this.#fd)
    this.#fd = undefined
  }
}

/** Reuses the cached end if no other process has written since. */
function findCurrentTail({ dir, names, lastTail, lock }: LockedLogInput): LogTail {
  const newest = filterSegments(names).at(-1)
  const file = newest === undefined ? undefined : join(dir, newest)
  const isUnchanged = file !== undefined && lastTail?.file === file
  return isUnchanged && statSync(file).size === lastTail.size
    ? lastTail
    : findTail(dir, names, lock)
}

/**
 * Writes all bytes, or truncates the file to its previous size, for example when the disk is full.
 */
function writeAllOrTruncate(fd: number, bytes: Buffer, size: number): number {
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at)
  } catch (error) {
    ftruncateSync(fd, size)
    throw error
  }
  return size + bytes.length
}
