import { SkillsError } from '../../errors.ts'
import { sweepLeftovers } from '../../util/leftovers.ts'
import { AuditLease } from './audit-lease.ts'
import { FolderLock } from './audit-lock.ts'
import type { AuditEntry } from './audit-record.ts'
import type { Tail } from './audit-tail.ts'
import type { Link } from './chain.ts'
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
  append(entry: AuditEntry, options: { durable: boolean }): Promise<Link>
  /** Resolves when everything that was appended is durable. */
  flush(): Promise<void>
}

/** Opens the log of a folder, which is made when the first record comes. */
export function openAuditLog(dir: string, options: AuditLogOptions): AuditLog {
  return new FileAuditLog(dir, options)
}

interface Pending {
  /** None where all that was written before is to be durable. */
  entry?: AuditEntry
  durable: boolean
  resolve: (link: Link) => void
  reject: (error: unknown) => void
}

class FileAuditLog implements AuditLog {
  #dir: string
  #options: AuditLogOptions
  #lock: FolderLock
  /** While this process has the lock. */
  #held: LockedLog | undefined
  #pending: Pending[] = []
  #work: Promise<void> | undefined
  /** Written, and not on the disk. */
  #waiting: { link: Link; pending: Pending }[] = []
  #syncing: Promise<void> | undefined
  /** As this process left it; looked at again where it is not so any more. */
  #tail: Tail | undefined
  #written = 0
  #synced = 0
  #timer: NodeJS.Timeout | undefined
  #idle: NodeJS.Timeout | undefined
  #isSwept = false
  /** Files are not there to be removed: somebody has locked them. */
  #keepsAll = false
  #lease = new AuditLease()
  /** What is known of the log may be wrong. */
  #isDoubtful = false

  constructor(dir: string, options: AuditLogOptions) {
    this.#dir = dir
    this.#options = options
    this.#lock = new FolderLock(dir)
  }

  async append(entry: AuditEntry, { durable }: { durable: boolean }): Promise<Link> {
    return await this.#add({ entry, durable })
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    while (this.#work ?? this.#syncing) await (this.#work ?? this.#syncing)
    if (this.#written > this.#synced) await this.#add({ durable: true })
  }

  async #add(asked: Pick<Pending, 'entry' | 'durable'>): Promise<Link> {
    const written = new Promise<Link>((resolve, reject) => {
      this.#pending.push({ ...asked, resolve, reject })
    })
    this.#work ??= this.#writeAll()
    return await written
  }

  async #writeAll(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0)
      try {
        await this.#write(batch)
      } catch (error) {
        for (const { reject } of batch) reject(this.#unavailable(error))
        this.#isDoubtful = true
        await this.#leave()
      }
    }
    this.#work = undefined
    this.#rest()
  }

  /** What comes while others wait for the disk is written at once; who waits for the disk shares the next time. */
  async #write(batch: readonly Pending[]): Promise<void> {
    const log = await this.#lockedLog()
    const links = await log.write(batch.flatMap(({ entry }) => entry ?? []))
    this.#written = log.tail.link.seq
    for (const pending of batch) {
      const link = (pending.entry && links.shift()) ?? log.tail.link
      if (pending.durable) this.#waiting.push({ link, pending })
      else pending.resolve(link)
    }
    if (this.#waiting.length === 0) return this.#flushSoon()
    this.#syncing ??= this.#syncAll(log)
  }

  async #syncAll(log: LockedLog): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0)
      try {
        this.#synced = (await log.sync()).seq
        for (const { link, pending } of group) pending.resolve(link)
      } catch (error) {
        this.#lease.end()
        this.#isDoubtful = true
        for (const { pending } of group) pending.reject(this.#unavailable(error))
      }
    }
    this.#syncing = undefined
    this.#rest()
  }

  async #lockedLog(): Promise<LockedLog> {
    this.#lease.use()
    if (this.#held) {
      const isWanted = this.#syncing !== undefined && this.#lock.isWanted()
      this.#isDoubtful ||= !this.#held.isIntact()
      const mayGoOn = !this.#isDoubtful && !this.#held.hasTurned && this.#lease.mayGoOn()
      if (mayGoOn && !isWanted) return this.#held
      await this.#leave()
    }
    if (!this.#isSwept) await sweepLeftovers(this.#dir)
    this.#isSwept = true
    const names = await this.#lock.take()
    this.#lease.begin()
    try {
      const [dir, options, kept, keepsAll] = [this.#dir, this.#options, this.#tail, this.#keepsAll]
      this.#held = new LockedLog({ dir, names, kept, options, keepsAll })
    } finally {
      if (!this.#held) this.#lock.release()
    }
    return this.#held
  }

  /** Keeps the lock for what may come soon, or lets go of it. */
  #rest(): void {
    if (!this.#held || this.#work || this.#syncing) return
    if (!this.#lease.mayRest() || this.#lock.isWanted()) this.#letGo()
    else if (this.#idle) this.#idle.refresh()
    else this.#idle = setTimeout(() => this.#endRest(), IDLE_MS).unref()
  }

  #endRest(): void {
    if (!this.#work && !this.#syncing) this.#letGo()
  }

  async #leave(): Promise<void> {
    while (this.#syncing) await this.#syncing
    this.#letGo()
  }

  #letGo(): void {
    const held = this.#held
    if (!held) return
    this.#held = undefined
    this.#tail = this.#isDoubtful ? undefined : held.tail
    this.#isDoubtful = false
    this.#keepsAll ||= held.keepsAll
    held.close()
    this.#lock.release()
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
