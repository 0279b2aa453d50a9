import { closeSync, fstatSync, fsync, ftruncateSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { syncFolder } from '../../util/durable-file.ts'
import { HeadWriter, readHead } from './audit-head.ts'
import { segmentPath, filterSegments } from './audit-paths.ts'
import type { AuditEntry, AuditRepair } from './audit-record.ts'
import { compareWithHead, findTail, type LogTail } from './audit-tail.ts'
import { encodeLine, CHAIN_START, type ChainLink } from './chain.ts'
import {
  isRotationDue,
  planPruning,
  removePruned,
  type PrunableSegment,
  type Retention,
} from './prune-segments.ts'

const fsyncFile = promisify(fsync)

export interface AuditLogOptions extends Retention {
  /** Size at which it goes on in a new file. */
  maxFileBytes: number
}

interface LockedLogInput {
  dir: string
  /** In the folder. */
  names: readonly string[]
  /** As this process left the log; looked at again where it is not so any more. */
  lastTail: LogTail | undefined
  options: AuditLogOptions
  /** Files are not there to be removed: somebody has locked them. */
  cannotPrune: boolean
}

/**
 * A log that nobody else writes to, for as long as its lock is held: where it ends is known, and its
 * files stay open.
 */
export class LockedLog {
  #input: LockedLogInput
  #tail: LogTail
  #head: HeadWriter
  #fd: number | undefined
  /** No file is closed before the disk has answered. */
  #syncing: Promise<void> | undefined
  /** What has to be told before anything else is written. */
  #repairs: AuditRepair[]
  #prunable: readonly PrunableSegment[]
  /** The file is to be followed by another, whatever its size. */
  #isRotationDue: boolean
  #cannotPrune: boolean
  #hasRotated = false

  /** To be called with the lock. */
  constructor(found: LockedLogInput) {
    const { dir, names, options } = found
    this.#input = found
    this.#cannotPrune = found.cannotPrune
    this.#head = new HeadWriter(dir)
    const tail = findCurrentTail(found)
    const head = readHead(dir)
    // It is there before the first record: one that is missing later was removed.
    if (tail.file === undefined && !head) this.#head.write(CHAIN_START)
    const damage = compareWithHead(tail.link, head)
    this.#prunable = found.cannotPrune ? [] : planPruning(dir, names, options)
    const removals = this.#prunable.map(({ record }) => record)
    this.#repairs = [...tail.repairs, ...(damage ? [damage] : []), ...removals]
    // What is missing keeps its numbers, so that nothing ever takes its place.
    const seq = damage ? Math.max(tail.link.seq, head?.seq ?? 0) : tail.link.seq
    this.#tail = { ...tail, link: { ...tail.link, seq }, repairs: [] }
    this.#isRotationDue = tail.file !== undefined && isRotationDue(tail.file, options)
  }

  /** Where it ends. */
  get tail(): LogTail {
    return this.#tail
  }

  /** It went on in another file: older ones may go. */
  get hasRotated(): boolean {
    return this.#hasRotated
  }

  /** Files could not be removed. */
  get cannotPrune(): boolean {
    return this.#cannotPrune
  }

  /** Whether its file is still what was written; somebody who knows no lock may have been at it. */
  isIntact(): boolean {
    if (this.#fd === undefined) return true
    const { nlink, size } = fstatSync(this.#fd)
    return nlink > 0 && size === this.#tail.size
  }

  /** Chains records to the end, in one go: all of them or none. They survive the death of this process. */
  async write(entries: readonly AuditEntry[]): Promise<ChainLink[]> {
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
    if (all.length > 0) await this.#append(Buffer.from(text), link.seq + 1 - all.length)
    this.#tail = { ...this.#tail, link }
    this.#repairs = []
    if (this.#prunable.length > 0) await this.#prune()
    return links.slice(all.length - entries.length)
  }

  /** Makes durable what was written before, and remembers where that ends. */
  async sync(): Promise<ChainLink> {
    const { link, file } = this.#tail
    if (file === undefined) return link
    const done = fsyncFile(this.#openFile(file))
    this.#syncing = done.catch(() => {})
    await done
    this.#head.write(link)
    return link
  }

  /** Never throws: what is on the disk is there. */
  close(): void {
    try {
      this.#head.close()
      this.#closeFile()
    } catch {
      // Nobody was told of what is not there.
    }
  }

  async #append(bytes: Buffer, first: number): Promise<void> {
    const { file } = this.#tail
    const isNew = file === undefined || this.#isFull(this.#tail.size, bytes.length)
    if (isNew) await this.#rotateFile(first)
    const fd = this.#openFile(this.#tail.file as string)
    const { size } = this.#tail
    this.#tail = { ...this.#tail, size: writeAllOrTruncate(fd, bytes, size) }
    if (isNew) await syncFolder(this.#input.dir)
  }

  #isFull(size: number, more: number): boolean {
    return size > 0 && (this.#isRotationDue || size + more > this.#input.options.maxFileBytes)
  }

  async #rotateFile(first: number): Promise<void> {
    const { file } = this.#tail
    // What the new file goes on from has to be there as long as it.
    if (file !== undefined) await fsyncFile(this.#openFile(file))
    await this.#syncing
    this.#closeFile()
    this.#isRotationDue = false
    this.#hasRotated = true
    this.#tail = { ...this.#tail, file: segmentPath(this.#input.dir, first), size: 0 }
  }

  async #prune(): Promise<void> {
    await this.sync()
    // What cannot be removed stays, and hinders no run.
    await removePruned(this.#input.dir, this.#prunable).catch(() => (this.#cannotPrune = true))
    this.#prunable = []
  }

  #openFile(file: string): number {
    return (this.#fd ??= openSync(file, 'a', 0o600))
  }

  #closeFile(): void {
    if (this.#fd !== undefined) closeSync(this.#fd)
    this.#fd = undefined
  }
}

/** As this process left it, where nobody has written since. */
function findCurrentTail({ dir, names, lastTail: kept }: LockedLogInput): LogTail {
  const newest = filterSegments(names).at(-1)
  const file = newest === undefined ? undefined : join(dir, newest)
  const isSame = file !== undefined && kept?.file === file
  return isSame && statSync(file).size === kept.size ? kept : findTail(dir, names)
}

/** All of it or nothing: what does not fit on the disk is taken back. */
function writeAllOrTruncate(fd: number, bytes: Buffer, size: number): number {
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at)
  } catch (error) {
    ftruncateSync(fd, size)
    throw error
  }
  return size + bytes.length
}
