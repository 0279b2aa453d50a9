import { readdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SkillsError } from '../../errors.ts'
import { ownName } from '../../util/leftovers.ts'
import { isLeftBehind, sharedMark } from '../../util/owner.ts'

const NAME = /^lock\.(\d+)$/
const FREE = 'free'
/** Writing takes milliseconds; who holds it longer on another machine is taken to be gone. */
const FOREIGN_MS = 60_000
const PATIENCE_MS = 15_000

/** To be called once. */
export type Unlock = () => void

/**
 * One process at a time, whatever becomes of the one before: a lock is a link that names its owner,
 * under a number. The highest number counts; only where its owner let go or is dead, the next number is
 * taken, which one process alone can. Nobody removes what another might still look at and mean.
 */
export async function lockFolder(dir: string, signal?: AbortSignal): Promise<Unlock> {
  const since = Date.now()
  // Made before, so that letting go needs no room on the disk.
  const free = join(dir, ownName())
  symlinkSync(FREE, free)
  try {
    return await waitForLock(dir, { free, since, signal })
  } catch (error) {
    rmSync(free, { force: true })
    throw error
  }
}

async function waitForLock(
  dir: string,
  { free, since, signal }: { free: string; since: number; signal: AbortSignal | undefined },
): Promise<Unlock> {
  for (let pause = 1; ; pause = Math.min(pause * 2, 20)) {
    const number = tryLock(dir)
    // The number stays, for the next one to be higher.
    if (number !== undefined) return () => renameSync(free, lockAt(dir, number))
    if (Date.now() - since > PATIENCE_MS) throw busy(dir)
    await sleep(pause + Math.random() * pause, undefined, signal && { signal })
  }
}

function tryLock(dir: string): number | undefined {
  const top = highest(dir)
  if (top > 0 && !isFree(join(dir, `lock.${top}`))) return undefined
  const own = top + 1
  try {
    symlinkSync(`${sharedMark()}.${Date.now()}`, lockAt(dir, own))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined
    throw error
  }
  // Whoever looked before others came and went may have taken a number that is over.
  if (highest(dir) > own) {
    rmSync(lockAt(dir, own), { force: true })
    return undefined
  }
  for (const number of numbers(dir)) {
    if (number < own) rmSync(lockAt(dir, number), { force: true })
  }
  return own
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
  return owner.split('.')[0] === sharedMark().split('.')[0]
}

function lockAt(dir: string, number: number): string {
  return join(dir, `lock.${number}`)
}

function highest(dir: string): number {
  return Math.max(0, ...numbers(dir))
}

function numbers(dir: string): number[] {
  return readdirSync(dir).flatMap((name) => Number(NAME.exec(name)?.[1] ?? 0) || [])
}

function busy(dir: string): SkillsError {
  return new SkillsError('audit/unavailable', `Another process does not let go of "${dir}"`, {
    hint: 'See which process it is with: ls -l, and end it',
  })
}
