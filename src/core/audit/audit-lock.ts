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

const NAME = /^lock\.(\d+)$/
const FREE = 'free'
const WANTED = 'wanted'
/** Who holds it longer on another machine is taken to be gone. */
const FOREIGN_MS = 60_000
/** A mark says when it was made, and is taken for as old as the lock. */
const MARK_MS = 20_000
const PATIENCE_MS = 15_000
const MOST_PAUSE_MS = 8
/** For which who gave way lets others go first. */
const POLITE_MS = 30

/**
 * One process at a time, whatever becomes of the one before: a lock is a link that names its owner,
 * under a number. The highest number counts; only where its owner let go or is dead, the next number is
 * taken, which one process alone can. Nobody removes what another might still look at and mean.
 * A file that names the owner is made once; locks are other names of it, which cost next to nothing.
 */
export class FolderLock {
  #dir: string
  #mark: { path: string; since: number } | undefined
  /** Made before, so that letting go needs no room on the disk. */
  #spare: string
  #number = 0
  #gaveWay = -Infinity

  constructor(dir: string) {
    this.#dir = dir
    this.#spare = join(dir, createOwnName())
  }

  /** Waits for it. Answers with the names in the folder. */
  async take(): Promise<readonly string[]> {
    const since = Date.now()
    while (performance.now() - this.#gaveWay < POLITE_MS && this.isWanted()) await sleep(1)
    for (let pause = 1; ; pause = Math.min(pause * 2, MOST_PAUSE_MS)) {
      const names = this.#try()
      if (names) return names
      if (Date.now() - since > PATIENCE_MS) throw busy(this.#dir)
      this.#want()
      await sleep(pause + Math.random() * pause)
    }
  }

  /** Whether somebody waits for it. */
  isWanted(): boolean {
    try {
      return lstatSync(join(this.#dir, WANTED), { throwIfNoEntry: false }) !== undefined
    } catch {
      return true
    }
  }

  /** Lets go of it; never throws. */
  release(): void {
    try {
      if (this.isWanted()) this.#gaveWay = performance.now()
      // The number stays, for the next one to be higher.
      renameSync(this.#spare, this.#at(this.#number))
    } catch {
      // The folder is gone, or nobody can write there, and so nobody else takes the lock.
    }
  }

  #try(): readonly string[] | undefined {
    const top = highest(this.#names())
    if (top > 0 && !isFree(this.#at(top))) return undefined
    this.#prepareRelease()
    const own = top + 1
    try {
      this.#put(own)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined
      throw error
    }
    const names = this.#names()
    // Whoever looked before others came and went may have taken a number that is over.
    if (highest(names) > own) {
      remove(this.#at(own))
      return undefined
    }
    for (const number of numbers(names)) {
      if (number < own) remove(this.#at(number))
    }
    // Who waits still says so again.
    if (names.includes(WANTED)) remove(join(this.#dir, WANTED))
    this.#number = own
    return names
  }

  #names(): string[] {
    try {
      return readdirSync(this.#dir)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      mkdirSync(this.#dir, { recursive: true, mode: 0o700 })
      return []
    }
  }

  #put(number: number): void {
    const now = Date.now()
    if (this.#mark && now - this.#mark.since > MARK_MS) remove(this.#mark.path)
    if (!this.#mark || now - this.#mark.since > MARK_MS) {
      this.#mark = { path: join(this.#dir, createOwnName()), since: now }
    }
    const { path, since } = this.#mark
    nameAgain({ from: path, says: `${createSharedMark()}.${since}` }, this.#at(number))
  }

  #prepareRelease(): void {
    try {
      nameAgain({ from: join(this.#dir, FREE), says: FREE }, this.#spare)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }

  #want(): void {
    try {
      nameAgain({ from: join(this.#dir, FREE), says: FREE }, join(this.#dir, WANTED))
    } catch {
      // Somebody said so already; or there is no room, and the lock is let go of all the same.
    }
  }

  #at(number: number): string {
    return join(this.#dir, `lock.${number}`)
  }
}

/** Another name for a link, which is made where it is missing; where links have one name, another link. */
function nameAgain({ from, says }: { from: string; says: string }, to: string): void {
  if (hasLinked(from, to)) return
  try {
    symlinkSync(says, from)
  } catch {
    // It is there: here, links have one name.
  }
  if (!hasLinked(from, to)) symlinkSync(says, to)
}

/** Throws where the name is taken. */
function hasLinked(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error
    return false
  }
}

/** Others may have done so. */
function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function isFree(path: string): boolean {
  let owner: string
  try {
    owner = readlinkSync(path)
  } catch {
    return false
  }
  if (owner === FREE) return true
  const taken = Number(owner.split('.').at(-1))
  const age = Date.now() - taken
  return isLeftBehind(owner, age) || (age > FOREIGN_MS && !isOfThisMachine(owner))
}

function isOfThisMachine(owner: string): boolean {
  return owner.split('.')[0] === createSharedMark().split('.')[0]
}

function highest(names: readonly string[]): number {
  return Math.max(0, ...numbers(names))
}

function numbers(names: readonly string[]): number[] {
  return names.flatMap((name) => Number(NAME.exec(name)?.[1] ?? 0) || [])
}

function busy(dir: string): SkillsError {
  return new SkillsError('audit/unavailable', `Another process does not let go of "${dir}"`, {
    hint: 'See which process it is with: ls -l, and end it',
  })
}
