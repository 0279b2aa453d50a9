import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  readFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SkillsError } from '../../errors.ts'
import { createOwnName } from '../../util/leftovers.ts'
import { isLeftBehind, createSharedMark } from '../../util/owner.ts'
import { getFenceName, removeOldFences, type OwnedLock } from './fencing.ts'

const LOCK_NAME = /^lock\.(\d+)$/
const FREE = 'free'
const WAITER_NAME = 'wanted'
/** Age at which a lock of another machine is treated as abandoned. */
const FOREIGN_OWNER_TIMEOUT_MS = 60_000
/** A mark carries the time of its creation, which counts as the age of the lock. */
const OWNER_MARK_MAX_AGE_MS = 20_000
const ACQUIRE_TIMEOUT_MS = 15_000
const MAX_RETRY_DELAY_MS = 8
/** After it released the lock to a waiter, a process waits this long before it competes again. */
const YIELD_MS = 30

/**
 * Mutual exclusion of processes that survives the death of the owner.
 *
 * A lock is a link `lock.<number>` that names its owner; the highest number counts. The next number
 * is taken only if that owner released the lock or is dead, and `link` lets exactly one process
 * create it. No process removes a link that another one may still be reading. The file that names
 * the owner is created once; locks are hard links to it, which cost almost nothing.
 *
 * An owner that does not release the lock in time is fenced off: a waiter marks its number as
 * fenced, and takes the next one. The owner has to check for the mark after what it wrote.
 */
export class FolderLock implements OwnedLock {
  #dir: string
  #ownerMark: { path: string; since: number } | undefined
  /** Created while the lock is acquired, so that releasing needs no disk space. */
  #releaseLink: string
  #number = 0
  #yieldedAt = -Infinity
  /** Mark of the lock that this process has; computed once, since it is looked up after each write. */
  #fencePath = ''
  /** Number of the lock that this process waits for, and since when. */
  #waiting = { number: 0, since: 0 }

  constructor(dir: string) {
    this.#dir = dir
    this.#releaseLink = join(dir, createOwnName())
  }

  get number(): number {
    return this.#number
  }

  isFenced(): boolean {
    return lstatSync(this.#fencePath, { throwIfNoEntry: false }) !== undefined
  }

  /** Waits for the lock. Returns the names in the folder. */
  async acquire(): Promise<readonly string[]> {
    const since = Date.now()
    while (performance.now() - this.#yieldedAt < YIELD_MS && this.hasWaiter()) await sleep(1)
    for (let delay = 1; ; delay = Math.min(delay * 2, MAX_RETRY_DELAY_MS)) {
      const names = this.#tryAcquire()
      if (names) return names
      if (Date.now() - since > ACQUIRE_TIMEOUT_MS) throw createTimeoutError(this.#dir)
      this.#announceWaiter()
      await sleep(delay + Math.random() * delay)
    }
  }

  /** True if another process waits for the lock, or if that cannot be determined. */
  hasWaiter(): boolean {
    try {
      return lstatSync(join(this.#dir, WAITER_NAME), { throwIfNoEntry: false }) !== undefined
    } catch {
      return true
    }
  }

  /** Releases the lock; never throws. Its owner must not write any more. */
  release(): void {
    try {
      if (this.isFenced()) removeIfPresent(this.#fencePath)
      if (this.hasWaiter()) this.#yieldedAt = performance.now()
      // The number is not removed, so that the next owner takes a higher one.
      renameSync(this.#releaseLink, this.#lockPath(this.#number))
    } catch {
      // The folder is missing or not writable, so no other process can take the lock either.
    }
  }

  /** Removes the files that speed up the next acquisition; never throws. */
  close(): void {
    try {
      if (this.#ownerMark) rmSync(this.#ownerMark.path, { force: true })
      this.#ownerMark = undefined
      rmSync(this.#releaseLink, { force: true })
    } catch {
      // The next owner removes leftovers of dead processes.
    }
  }

  #tryAcquire(): readonly string[] | undefined {
    const top = findHighestNumber(this.#readNames())
    if (top > 0 && !this.#mayTakeOver(top)) return undefined
    this.#prepareRelease()
    const own = top + 1
    try {
      this.#linkOwnerMark(own)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined
      throw error
    }
    const names = this.#readNames()
    // A process that read the folder before others came and went may have taken an outdated number.
    if (findHighestNumber(names) > own) {
      removeIfPresent(this.#lockPath(own))
      return undefined
    }
    for (const number of parseLockNumbers(names)) {
      if (number < own) removeIfPresent(this.#lockPath(number))
    }
    // Removes the mark of all waiters: those that still wait create it again.
    if (names.includes(WAITER_NAME)) removeIfPresent(join(this.#dir, WAITER_NAME))
    this.#number = own
    this.#fencePath = join(this.#dir, getFenceName(own))
    removeOldFences(this.#dir, names)
    return names
  }

  /** True if a lock is free, or its owner is dead, or this call has fenced its owner off. */
  #mayTakeOver(number: number): boolean {
    const path = this.#lockPath(number)
    let owner: string
    try {
      owner = readlinkSync(path)
    } catch {
      return false
    }
    if (owner === FREE) return true
    const age = Date.now() - Number(owner.split('.').at(-1))
    if (isLeftBehind(owner, age)) return true
    if (!this.#isStuck(owner, number, age)) return false
    try {
      symlinkSync(owner, join(this.#dir, getFenceName(number)))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    return true
  }

  #isStuck(owner: string, number: number, age: number): boolean {
    if (this.#waiting.number !== number) this.#waiting = { number, since: performance.now() }
    if (!isLocalOwner(owner)) return age > FOREIGN_OWNER_TIMEOUT_MS
    const pid = Number(owner.split('.')[1]?.split('-')[0])
    return isOwnerStuck(pid, performance.now() - this.#waiting.since)
  }

  #readNames(): string[] {
    try {
      return readdirSync(this.#dir)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      mkdirSync(this.#dir, { recursive: true, mode: 0o700 })
      return []
    }
  }

  #linkOwnerMark(number: number): void {
    const now = Date.now()
    if (this.#ownerMark && now - this.#ownerMark.since > OWNER_MARK_MAX_AGE_MS)
      removeIfPresent(this.#ownerMark.path)
    if (!this.#ownerMark || now - this.#ownerMark.since > OWNER_MARK_MAX_AGE_MS) {
      this.#ownerMark = { path: join(this.#dir, createOwnName()), since: now }
    }
    const { path, since } = this.#ownerMark
    linkOrCreate({ from: path, says: `${createSharedMark()}.${since}` }, this.#lockPath(number))
  }

  #prepareRelease(): void {
    try {
      linkOrCreate({ from: join(this.#dir, FREE), says: FREE }, this.#releaseLink)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }

  #announceWaiter(): void {
    try {
      linkOrCreate({ from: join(this.#dir, FREE), says: FREE }, join(this.#dir, WAITER_NAME))
    } catch {
      // Another process created the mark already, or the disk is full; the owner releases the lock
      // in either case.
    }
  }

  #lockPath(number: number): string {
    return join(this.#dir, `lock.${number}`)
  }
}

/**
 * Creates `to` as a hard link to the symbolic link `from`, which is created if missing. On file
 * systems without such hard links, `to` becomes a symbolic link of its own.
 */
function linkOrCreate({ from, says: content }: { from: string; says: string }, to: string): void {
  if (tryHardLink(from, to)) return
  try {
    symlinkSync(content, from)
  } catch {
    // `from` exists: this file system has no hard links to symbolic links.
  }
  if (!tryHardLink(from, to)) symlinkSync(content, to)
}

/** True if the link was created. Throws if the name exists. */
function tryHardLink(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error
    return false
  }
}

/** Another process may have removed it. */
function removeIfPresent(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function isLocalOwner(owner: string): boolean {
  return owner.split('.')[0] === createSharedMark().split('.')[0]
}

function findHighestNumber(names: readonly string[]): number {
  return Math.max(0, ...parseLockNumbers(names))
}

function parseLockNumbers(names: readonly string[]): number[] {
  return names.flatMap((name) => Number(LOCK_NAME.exec(name)?.[1] ?? 0) || [])
}

function createTimeoutError(dir: string): SkillsError {
  return new SkillsError('audit/unavailable', `Another process holds the lock of "${dir}"`, {
    hint: 'Find the process with: ls -l, and end it',
  })
}

/** Waits for a lock after which its owner may be fenced off, by the state of the owner. */
const PATIENCE_MS = {
  /** Stopped by a signal or a debugger. */
  stopped: 50,
  /** Does not return to its event loop, for example in spawnSync. */
  blocked: 1000,
  /** Waits for the disk, as a sync of the log does; or its state is unknown. */
  onDisk: 5000,
}

/** True if the owner of a lock has not released it for so long that others should not wait for it. */
function isOwnerStuck(pid: number, waitedMs: number): boolean {
  if (waitedMs < PATIENCE_MS.stopped) return false
  return waitedMs >= PATIENCE_MS[findOwnerState(pid)]
}

function findOwnerState(pid: number): keyof typeof PATIENCE_MS {
  const states = readThreadStates(pid)
  if (states.length === 0) return 'onDisk'
  if (states.every((state) => state === 'T' || state === 't')) return 'stopped'
  return states.includes('D') ? 'onDisk' : 'blocked'
}

function readThreadStates(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((task) => {
      const stat = readFileSync(`/proc/${pid}/task/${task}/stat`, 'latin1')
      // The name in parentheses may contain spaces.
      return stat.slice(stat.lastIndexOf(')') + 2).charAt(0)
    })
  } catch {
    return []
  }
}
