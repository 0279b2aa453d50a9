import { SkillsError } from '../../errors.ts'
import { sweepLeftovers } from '../../util/leftovers.ts'
import { AuditLease } from './audit-lease.ts'
import { FolderLock } from './audit-lock.ts'
import { FencedError, replaceFencedSegment } from './fencing.ts'
import type { AuditEntry, AuditRepair } from './audit-record.ts'
import type { LogTail } from './audit-tail.ts'
import type { ChainLink } from './chain.ts'
import { LockedLog, type AuditLogOptions } from './locked-log.ts'
import { openAuditSource, readNewestFirst } from './read-audit.ts'

/** Delay after which records that no caller waits for become durable. */
const FLUSH_MS = 50
/** Delay after which an unused lock is released. */
const IDLE_MS = 25

/** Log of all decisions. Several processes may append to one log concurrently. */
export interface AuditLog {
  /**
   * Chains a record to the previous one and returns its link. With `durable` it resolves once the
   * record is on disk; without, the record survives the death of this process but not of the
   * machine. Throws `audit/unavailable`: an action that cannot be recorded must not happen.
   */
  append(entry: AuditEntry | AuditRepair, options: { durable: boolean }): Promise<ChainLink>
  /** Resolves when all appended records are durable. */
  flush(): Promise<void>
}

/** Opens the log of a folder, which is created at the first record. */
export function openAuditLog(dir: string, options: AuditLogOptions): AuditLog {
  return new FileAuditLog(dir, options)
}

interface PendingWrite {
  /** Undefined for a request to make all earlier records durable. */
  entry?: AuditEntry | AuditRepair
  durable: boolean
  /** Link of a write after which the lock was lost: the record may be in the log. */
  attempted?: ChainLink
  resolve: (link: ChainLink) => void
  reject: (error: unknown) => void
}

class FileAuditLog implements AuditLog {
  #dir: string
  #options: AuditLogOptions
  #lock: FolderLock
  /** Set while this process holds the lock. */
  #log: LockedLog | undefined
  #pending: PendingWrite[] = []
  #writing: Promise<void> | undefined
  /** Written, but not synced yet. */
  #unsynced: { link: ChainLink; pending: PendingWrite }[] = []
  #syncing: Promise<void> | undefined
  /** End of the log as this process left it; read again if the file changed since. */
  #tail: LogTail | undefined
  #writtenSeq = 0
  #syncedSeq = 0
  #flushTimer: NodeJS.Timeout | undefined
  #idleTimer: NodeJS.Timeout | undefined
  #isSwept = false
  /** True after segments could not be removed, for example because they are immutable. */
  #cannotPrune = false
  #lease = new AuditLease()
  /** True if `#tail` may be wrong. */
  #isTailStale = false

  constructor(dir: string, options: AuditLogOptions) {
    this.#dir = dir
    this.#options = options
    this.#lock = new FolderLock(dir)
  }

  async append(
    entry: AuditEntry | AuditRepair,
    { durable }: { durable: boolean },
  ): Promise<ChainLink> {
    return await this.#enqueue({ entry, durable })
  }

  async flush(): Promise<void> {
    clearTimeout(this.#flushTimer)
    this.#flushTimer = undefined
    while (this.#writing ?? this.#syncing) await (this.#writing ?? this.#syncing)
    if (this.#writtenSeq > this.#syncedSeq) await this.#enqueue({ durable: true })
  }

  async #enqueue(request: Pick<PendingWrite, 'entry' | 'durable'>): Promise<ChainLink> {
    const written = new Promise<ChainLink>((resolve, reject) => {
      this.#pending.push({ ...request, resolve, reject })
    })
    this.#writing ??= this.#writeAll()
    return await written
  }

  async #writeAll(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0)
      try {
        await this.#writeUntilOwned(batch)
      } catch (error) {
        for (const { reject } of batch) reject(this.#createWriteError(error))
        this.#isTailStale = true
        await this.#syncAndRelease()
      }
    }
    this.#writing = undefined
    this.#keepOrReleaseLock()
  }

  /** Repeats a write after which another process had taken the lock away. */
  async #writeUntilOwned(batch: PendingWrite[]): Promise<void> {
    for (;;) {
      try {
        return await this.#writeBatch(batch)
      } catch (error) {
        if (!(error instanceof FencedError)) throw error
        this.#isTailStale = true
        await this.#syncAndRelease()
      }
    }
  }

  /**
   * Records that arrive during a sync are written at once; those that must be durable share the
   * next sync.
   */
  async #writeBatch(batch: readonly PendingWrite[]): Promise<void> {
    const log = await this.#acquireLog()
    const isRepeated = batch.some(({ attempted }) => attempted !== undefined)
    const present = isRepeated ? await findPresent(this.#dir, batch) : NONE
    const missing = batch.filter((each) => each.entry && !present.has(each))
    const links = await writeEntries(log, missing)
    this.#writtenSeq = log.tail.link.seq
    for (const pending of batch) {
      const link = present.get(pending) ?? (pending.entry && links.shift()) ?? log.tail.link
      if (pending.durable) this.#unsynced.push({ link, pending })
      else pending.resolve(link)
    }
    if (this.#unsynced.length === 0) return this.#scheduleFlush()
    this.#syncing ??= this.#syncAll(log)
  }

  async #syncAll(log: LockedLog): Promise<void> {
    while (this.#unsynced.length > 0) {
      const group = this.#unsynced.splice(0)
      try {
        this.#syncedSeq = (await log.sync()).seq
        for (const { link, pending } of group) pending.resolve(link)
      } catch (error) {
        this.#lease.revoke()
        this.#isTailStale = true
        for (const { pending } of group) pending.reject(this.#createWriteError(error))
      }
    }
    this.#syncing = undefined
    this.#keepOrReleaseLock()
  }

  async #acquireLog(): Promise<LockedLog> {
    this.#lease.recordUse()
    if (this.#log) {
      const hasWaiter = this.#syncing !== undefined && this.#lock.hasWaiter()
      this.#isTailStale ||= !this.#log.isIntact()
      const isUsable = !this.#isTailStale && !this.#log.hasRotated && this.#lease.isValid()
      if (isUsable && !hasWaiter) return this.#log
      await this.#syncAndRelease()
    }
    if (!this.#isSwept) await sweepLeftovers(this.#dir)
    this.#isSwept = true
    const found = await this.#lock.acquire()
    this.#lease.start()
    try {
      const names = await replaceFencedSegment(this.#dir, found, this.#lock)
      const [dir, options, lastTail, cannotPrune] = [
        this.#dir,
        this.#options,
        this.#tail,
        this.#cannotPrune,
      ]
      this.#log = new LockedLog({
        dir,
        lock: this.#lock,
        names,
        lastTail,
        options,
        cannotPrune,
      })
    } catch (error) {
      // Another process has replaced the files.
      throw this.#lock.isFenced() ? new FencedError() : error
    } finally {
      if (!this.#log) this.#lock.release()
    }
    return this.#log
  }

  /** Keeps the lock for further records, or releases it. */
  #keepOrReleaseLock(): void {
    if (!this.#log || this.#writing || this.#syncing) return
    if (!this.#lease.canStayIdle() || this.#lock.hasWaiter()) this.#releaseLog()
    else if (this.#idleTimer) this.#idleTimer.refresh()
    else this.#idleTimer = setTimeout(() => this.#releaseIfIdle(), IDLE_MS).unref()
  }

  #releaseIfIdle(): void {
    if (!this.#writing && !this.#syncing) this.#releaseLog()
  }

  async #syncAndRelease(): Promise<void> {
    while (this.#syncing) await this.#syncing
    this.#releaseLog()
  }

  #releaseLog(): void {
    const openLog = this.#log
    if (!openLog) return
    this.#log = undefined
    this.#tail = this.#isTailStale ? undefined : openLog.tail
    this.#isTailStale = false
    this.#cannotPrune ||= openLog.cannotPrune
    openLog.close()
    this.#lock.release()
  }

  #scheduleFlush(): void {
    if (this.#flushTimer) return
    this.#flushTimer = setTimeout(() => {
      this.#flushTimer = undefined
      this.flush().catch(() => {})
    }, FLUSH_MS)
    this.#flushTimer.unref()
  }

  /** An action that cannot be recorded must not happen, so the error says what to repair. */
  #createWriteError(cause: unknown): unknown {
    if (cause instanceof SkillsError) return cause
    const { code, message } = cause as NodeJS.ErrnoException
    const data = { code: 'audit-unavailable', layer: 'audit' }
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      const full = 'Cannot write to the audit log: the disk is full'
      return new SkillsError('store/full', full, {
        hint: 'Free some disk space: no run starts without an audit record',
        data,
        cause,
      })
    }
    return new SkillsError(
      'audit/unavailable',
      `Cannot write to the audit log: ${code ?? message}`,
      {
        hint: `No run starts without an audit record: repair "${this.#dir}"`,
        data,
        cause,
      },
    )
  }
}

const NONE: ReadonlyMap<PendingWrite, ChainLink> = new Map()

async function writeEntries(
  log: LockedLog,
  pending: readonly PendingWrite[],
): Promise<ChainLink[]> {
  try {
    return await log.write(pending.flatMap(({ entry }) => entry ?? []))
  } catch (error) {
    if (error instanceof FencedError)
      for (const [at, link] of error.links.entries()) (pending[at] as PendingWrite).attempted = link
    throw error
  }
}

/** Finds the records of earlier attempts that are in the log, with their links. */
async function findPresent(
  dir: string,
  batch: readonly PendingWrite[],
): Promise<ReadonlyMap<PendingWrite, ChainLink>> {
  const attempted = batch.flatMap((each) =>
    each.attempted ? [[each, each.attempted] as const] : [],
  )
  const written = await findWritten(
    dir,
    attempted.map(([, link]) => link),
  )
  return new Map(attempted.filter(([, { hash }]) => written.has(hash)))
}

/** Returns the hashes of those links whose records are in the log. Requires the lock. */
async function findWritten(dir: string, links: readonly ChainLink[]): Promise<ReadonlySet<string>> {
  const wanted = new Set(links.map(({ hash }) => hash))
  const oldest = Math.min(...links.map(({ seq }) => seq))
  const found = new Set<string>()
  for await (const { seq, hash } of readNewestFirst(openAuditSource(dir))) {
    if (seq < oldest) break
    if (wanted.has(hash)) found.add(hash)
  }
  return found
}
