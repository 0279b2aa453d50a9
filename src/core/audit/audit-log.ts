import { SkillsError } from '../../errors.ts'
import { sweepLeftovers } from '../../util/leftovers.ts'
import { AuditLease } from './audit-lease.ts'
import { FolderLock } from './audit-lock.ts'
import type { AuditEntry } from './audit-record.ts'
import type { LogTail } from './audit-tail.ts'
import type { ChainLink } from './chain.ts'
import { LockedLog, type AuditLogOptions } from './locked-log.ts'

/** In which a record that nobody waits for becomes durable. */
const FLUSH_MS = 50
/** After which a lock that is kept for what may come is let go of. */
const IDLE_MS = 25

/** The log of all decisions. Several processes may append to one at once. */
export interface AuditLog {
  /**
   * Chains a record to the one before and answers where it stands. `durable` returns when it is on
   * the disk; without it, it survives the death of this process but not that of the machine.
   * Throws `audit/unavailable`: what cannot be written down must not happen.
   */
  append(entry: AuditEntry, options: { durable: boolean }): Promise<ChainLink>
  /** Resolves when everything that was appended is durable. */
  flush(): Promise<void>
}

/** Opens the log of a folder, which is made when the first record comes. */
export function openAuditLog(dir: string, options: AuditLogOptions): AuditLog {
  return new FileAuditLog(dir, options)
}

interface PendingWrite {
  /** None where all that was written before is to be durable. */
  entry?: AuditEntry
  durable: boolean
  resolve: (link: ChainLink) => void
  reject: (error: unknown) => void
}

class FileAuditLog implements AuditLog {
  #dir: string
  #options: AuditLogOptions
  #lock: FolderLock
  /** While this process has the lock. */
  #log: LockedLog | undefined
  #pending: PendingWrite[] = []
  #writing: Promise<void> | undefined
  /** Written, and not on the disk. */
  #unsynced: { link: ChainLink; pending: PendingWrite }[] = []
  #syncing: Promise<void> | undefined
  /** As this process left it; looked at again where it is not so any more. */
  #tail: LogTail | undefined
  #writtenSeq = 0
  #syncedSeq = 0
  #flushTimer: NodeJS.Timeout | undefined
  #idleTimer: NodeJS.Timeout | undefined
  #isSwept = false
  /** Files are not there to be removed: somebody has locked them. */
  #cannotPrune = false
  #lease = new AuditLease()
  /** What is known of the log may be wrong. */
  #isTailStale = false

  constructor(dir: string, options: AuditLogOptions) {
    this.#dir = dir
    this.#options = options
    this.#lock = new FolderLock(dir)
  }

  async append(entry: AuditEntry, { durable }: { durable: boolean }): Promise<ChainLink> {
    return await this.#enqueue({ entry, durable })
  }

  async flush(): Promise<void> {
    clearTimeout(this.#flushTimer)
    this.#flushTimer = undefined
    while (this.#writing ?? this.#syncing) await (this.#writing ?? this.#syncing)
    if (this.#writtenSeq > this.#syncedSeq) await this.#enqueue({ durable: true })
  }

  async #enqueue(asked: Pick<PendingWrite, 'entry' | 'durable'>): Promise<ChainLink> {
    const written = new Promise<ChainLink>((resolve, reject) => {
      this.#pending.push({ ...asked, resolve, reject })
    })
    this.#writing ??= this.#writeAll()
    return await written
  }

  async #writeAll(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0)
      try {
        await this.#writeBatch(batch)
      } catch (error) {
        for (const { reject } of batch) reject(this.#createWriteError(error))
        this.#isTailStale = true
        await this.#syncAndRelease()
      }
    }
    this.#writing = undefined
    this.#keepOrReleaseLock()
  }

  /** What comes while others wait for the disk is written at once; who waits for the disk shares the next time. */
  async #writeBatch(batch: readonly PendingWrite[]): Promise<void> {
    const log = await this.#acquireLog()
    const links = await log.write(batch.flatMap(({ entry }) => entry ?? []))
    this.#writtenSeq = log.tail.link.seq
    for (const pending of batch) {
      const link = (pending.entry && links.shift()) ?? log.tail.link
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
      const isWanted = this.#syncing !== undefined && this.#lock.hasWaiter()
      this.#isTailStale ||= !this.#log.isIntact()
      const mayGoOn = !this.#isTailStale && !this.#log.hasRotated && this.#lease.isValid()
      if (mayGoOn && !isWanted) return this.#log
      await this.#syncAndRelease()
    }
    if (!this.#isSwept) await sweepLeftovers(this.#dir)
    this.#isSwept = true
    const names = await this.#lock.acquire()
    this.#lease.start()
    try {
      const [dir, options, kept, keepsAll] = [
        this.#dir,
        this.#options,
        this.#tail,
        this.#cannotPrune,
      ]
      this.#log = new LockedLog({ dir, names, lastTail: kept, options, cannotPrune: keepsAll })
    } finally {
      if (!this.#log) this.#lock.release()
    }
    return this.#log
  }

  /** Keeps the lock for what may come soon, or lets go of it. */
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
    const held = this.#log
    if (!held) return
    this.#log = undefined
    this.#tail = this.#isTailStale ? undefined : held.tail
    this.#isTailStale = false
    this.#cannotPrune ||= held.cannotPrune
    held.close()
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

  /** What cannot be written down must not happen. */
  #createWriteError(cause: unknown): unknown {
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
