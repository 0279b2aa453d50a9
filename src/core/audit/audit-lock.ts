import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SkillsError } from '../../errors.ts'
import { createOwnName } from '../../util/leftovers.ts'
import { isLeftBehind, createSharedMark } from '../../util/owner.ts'

const LOCK_NAME = /^lock\.(\d+)$/
const FREE = 'free'
const WAITER_NAME = 'wanted'
/** Who holds it longer on another machine is taken to be gone. */
const FOREIGN_OWNER_TIMEOUT_MS = 60_000
/** A mark says when it was made, and is taken for as old as the lock. */
const OWNER_MARK_MAX_AGE_MS = 20_000
const ACQUIRE_TIMEOUT_MS = 15_000
const MAX_RETRY_DELAY_MS = 8
/** For which who gave way lets others go first. */
const YIELD_MS = 30

/**
 * One process at a time, whatever becomes of the one before: a lock is a link that names its owner,
 * under a number. The highest number counts; only where its owner let go or is dead, the next number is
 * taken, which one process alone can. Nobody removes what another might still look at and mean.
 * A file that names the owner is made once; locks are other names of it, which cost next to nothing.
 */
export class FolderLock {
  #dir: string
  #ownerMark: { path: string; since: number } | undefined
  /** Made before, so that letting go needs no room on the disk. */
  #releaseLink: string
  #number = 0
  #yieldedAt = -Infinity

  constructor(dir: string) {
    this.#dir = dir
    this.#releaseLink = join(dir, createOwnName())
  }

  /** Waits for it. Answers with the names in the folder. */
  async acquire(): Promise<readonly string[]> {
    const since = Date.now()
    while (performance.now() - this.#yieldedAt < YIELD_MS && this.hasWaiter()) await sleep(1)
    for (let pause = 1; ; pause = Math.min(pause * 2, MAX_RETRY_DELAY_MS)) {
      const names = this.#tryAcquire()
      if (names) return names
      if (Date.now() - since > ACQUIRE_TIMEOUT_MS) throw createTimeoutError(this.#dir)
      this.#announceWaiter()
      await sleep(pause + Math.random() * pause)
    }
  }

  /** Whether somebody waits for it. */
  hasWaiter(): boolean {
    try {
      return lstatSync(join(this.#dir, WAITER_NAME), { throwIfNoEntry: false }) !== undefined
    } catch {
      return true
    }
  }

  /** Lets go of it; never throws. */
  release(): void {
    try {
      if (this.hasWaiter()) this.#yieldedAt = performance.now()
      // The number stays, for the next one to be higher.
      renameSync(this.#releaseLink, this.#lockPath(this.#number))
    } catch {
      // The folder is gone, or nobody can write there, and so nobody else takes the lock.
    }
  }

  #tryAcquire(): readonly string[] | undefined {
    const top = findHighestNumber(this.#readNames())
    if (top > 0 && !isUnowned(this.#lockPath(top))) return undefined
    this.#prepareRelease()
    const own = top + 1
    try {
      this.#linkOwnerMark(own)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined
      throw error
    }
    const names = this.#readNames()
    // Whoever looked before others came and went may have taken a number that is over.
    if (findHighestNumber(names) > own) {
      removeIfPresent(this.#lockPath(own))
      return undefined
    }
    for (const number of parseLockNumbers(names)) {
      if (number < own) removeIfPresent(this.#lockPath(number))
    }
    // Who waits still says so again.
    if (names.includes(WAITER_NAME)) removeIfPresent(join(this.#dir, WAITER_NAME))
    this.#number = own
    return names
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
      // Somebody said so already; or there is no room, and the lock is let go of all the same.
    }
  }

  #lockPath(number: number): string {
    return join(this.#dir, `lock.${number}`)
  }
}

/** Another name for a link, which is made where it is missing; where links have one name, another link. */
function linkOrCreate({ from, says }: { from: string; says: string }, to: string): void {
  if (tryHardLink(from, to)) return
  try {
    symlinkSync(says, from)
  } catch {
    // It is there: here, links have one name.
  }
  if (!tryHardLink(from, to)) symlinkSync(says, to)
}

/** Throws where the name is taken. */
function tryHardLink(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error
    return false
  }
}

/** Others may have done so. */
function removeIfPresent(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function isUnowned(path: string): boolean {
  let owner: string
  try {
    owner = readlinkSync(path)
  } catch {
    return false
  }
  if (owner === FREE) return true
  const taken = Number(owner.split('.').at(-1))
  const age = Date.now() - taken
  return isLeftBehind(owner, age) || (age > FOREIGN_OWNER_TIMEOUT_MS && !isLocalOwner(owner))
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
  return new SkillsError('audit/unavailable', `Another process does not let go of "${dir}"`, {
    hint: 'See which process it is with: ls -l, and end it',
  })
}
