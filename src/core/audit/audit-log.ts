import {
  closeSync,
  fstatSync,
  fsync,
  ftruncateSync,
  mkdirSync,
  openSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { SkillsError } from '../../errors.ts'
import { syncFolder } from '../../util/durable-file.ts'
import { sweepLeftovers } from '../../util/leftovers.ts'
import { readHead, writeHead } from './audit-head.ts'
import { lockFolder } from './audit-lock.ts'
import { namesIn, segmentFile, segmentsIn } from './audit-places.ts'
import type { AuditEntry, AuditRepair } from './audit-record.ts'
import { compareWithHead, findTail, type Tail } from './audit-tail.ts'
import { encodeLine, START, type Link } from './chain.ts'
import { isLongOpen, planPruning, removePruned, type Retention } from './prune-segments.ts'

const sync = promisify(fsync)

/** In which a record that nobody waits for becomes durable. */
const FLUSH_MS = 50

/** The log of all decisions. Several processes may append to one at once. */
export interface AuditLog {
  /**
   * Chains a record to the one before and answers where it stands. `durable` returns when it is on
   * the disk; without it, it survives the death of this process but not that of the machine.
   * Throws `audit/unavailable`: what cannot be written down must not happen.
   */
  append(entry: AuditEntry, options: { durable: boolean }): Promise<Link>
  /** Resolves when everything that was appended is durable. */
  flush(): Promise<void>
}

export interface AuditLogOptions extends Retention {
  /** Size at which it goes on in a new file. */
  maxFileBytes: number
}

/** Opens the log of a folder, which is made when the first record comes. */
export function openAuditLog(dir: string, options: AuditLogOptions): AuditLog {
  return new FileAuditLog(dir, options)
}

interface Pending {
  entry: AuditEntry
  durable: boolean
  resolve: (link: Link) => void
  reject: (error: unknown) => void
}

class FileAuditLog implements AuditLog {
  #dir: string
  #options: AuditLogOptions
  #pending: Pending[] = []
  #work: Promise<void> | undefined
  /** As this process left it; looked at again where it is not so any more. */
  #tail: Tail | undefined
  #isUnsynced = false
  #timer: NodeJS.Timeout | undefined
  #isSwept = false
  /** Files are not there to be removed: somebody has locked them. */
  #keepsAll = false

  constructor(dir: string, options: AuditLogOptions) {
    this.#dir = dir
    this.#options = options
  }

  async append(entry: AuditEntry, { durable }: { durable: boolean }): Promise<Link> {
    const written = new Promise<Link>((resolve, reject) => {
      this.#pending.push({ entry, durable, resolve, reject })
    })
    this.#start()
    return await written
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    while (this.#work) await this.#work
    if (this.#isUnsynced) await this.#writeBatch([])
  }

  /** Whoever comes while a batch is written shares the next one, and its wait for the disk. */
  #start(): void {
    this.#work ??= this.#writeAll().finally(() => {
      this.#work = undefined
    })
  }

  async #writeAll(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0)
      try {
        const links = await this.#writeBatch(batch)
        batch.forEach(({ resolve }, at) => resolve(links[at] as Link))
      } catch (error) {
        this.#tail = undefined
        for (const { reject } of batch) reject(this.#unavailable(error))
      }
    }
  }

  async #writeBatch(batch: readonly Pending[]): Promise<Link[]> {
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 })
    const unlock = await lockFolder(this.#dir)
    try {
      if (!this.#isSwept) await sweepLeftovers(this.#dir)
      this.#isSwept = true
      const durable = batch.length === 0 || batch.some((each) => each.durable)
      if (!durable) this.#flushSoon()
      return await this.#write(batch, durable)
    } finally {
      unlock()
    }
  }

  async #write(batch: readonly Pending[], durable: boolean): Promise<Link[]> {
    const names = namesIn(this.#dir)
    const tail = this.#tailOf(names)
    const head = readHead(this.#dir)
    // It is there before the first record: one that is missing later was removed.
    if (tail.file === undefined && !head) writeHead(this.#dir, START)
    const damage = compareWithHead(tail.link, head)
    const prunable = this.#keepsAll ? [] : planPruning(this.#dir, names, this.#options)
    const removals = prunable.map(({ record }) => record)
    const repairs: AuditRepair[] = [...tail.repairs, ...(damage ? [damage] : []), ...removals]
    // What is missing keeps its numbers, so that nothing ever takes its place.
    let link = damage ? { ...tail.link, seq: Math.max(tail.link.seq, head?.seq ?? 0) } : tail.link
    const time = new Date()
    const links: Link[] = []
    let text = ''
    for (const entry of [...repairs, ...batch.map((each) => each.entry)]) {
      const encoded = encodeLine(entry, link, time)
      text += encoded.line
      link = encoded.link
      links.push(link)
    }
    await this.#append(tail, { bytes: Buffer.from(text), first: link.seq + 1 - links.length, link })
    if (durable || prunable.length > 0) await this.#makeDurable(link)
    else this.#isUnsynced = true
    if (prunable.length > 0) {
      // What cannot be removed stays, and hinders no run.
      await removePruned(this.#dir, prunable).catch(() => (this.#keepsAll = true))
    }
    return links.slice(repairs.length)
  }

  /** As this process left it, where nobody has written since. */
  #tailOf(names: readonly string[]): Tail {
    const newest = segmentsIn(names).at(-1)
    const kept = this.#tail
    const file = newest === undefined ? undefined : join(this.#dir, newest)
    const isSame = file !== undefined && kept?.file === file
    return isSame && statSync(file).size === kept.size ? kept : findTail(this.#dir, names)
  }

  async #append(
    tail: Tail,
    { bytes, first, link }: { bytes: Buffer; first: number; link: Link },
  ): Promise<void> {
    const isFull = this.#isFull(tail, bytes.length)
    const isNew = tail.file === undefined || isFull
    // What the new file goes on from has to be there as long as it.
    if (isFull && tail.file !== undefined) await syncFile(tail.file)
    const file = isNew ? segmentFile(this.#dir, first) : (tail.file as string)
    const fd = openSync(file, 'a', 0o600)
    try {
      this.#tail = { link, file, size: writeWhole(fd, bytes), repairs: [] }
    } finally {
      closeSync(fd)
    }
    if (isNew) await syncFolder(this.#dir)
  }

  #isFull({ file, size }: Tail, more: number): boolean {
    if (file === undefined || size === 0 || more === 0) return false
    return size + more > this.#options.maxFileBytes || isLongOpen(file, this.#options)
  }

  async #makeDurable(link: Link): Promise<void> {
    await syncFile((this.#tail as Tail).file as string)
    writeHead(this.#dir, link)
    this.#isUnsynced = false
  }

  #flushSoon(): void {
    if (this.#timer) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.flush().catch(() => {})
    }, FLUSH_MS)
    this.#timer.unref()
  }

  /** What cannot be written down must not happen. */
  #unavailable(cause: unknown): unknown {
    if (cause instanceof SkillsError) return cause
    const { code, message } = cause as NodeJS.ErrnoException
    const data = { code: 'audit-unavailable', layer: 'audit' }
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      const full = 'Cannot write to the audit log: the disk is full'
      return new SkillsError('store/full', full, {
        hint: 'Free some space: nothing is run that cannot be written down',
        data,
        cause,
      })
    }
    return new SkillsError(
      'audit/unavailable',
      `Cannot write to the audit log: ${code ?? message}`,
      {
        hint: `Nothing is run that cannot be written down: mend "${this.#dir}"`,
        data,
        cause,
      },
    )
  }
}

async function syncFile(file: string): Promise<void> {
  const fd = openSync(file, 'r')
  try {
    await sync(fd)
  } finally {
    closeSync(fd)
  }
}

/** All of it or nothing: what does not fit on the disk is taken back. */
function writeWhole(fd: number, bytes: Buffer): number {
  const { size } = fstatSync(fd)
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at)
  } catch (error) {
    ftruncateSync(fd, size)
    throw error
  }
  return size + bytes.length
}
