import {
  closeSync,
  constants,
  copyFileSync,
  fsync,
  openSync,
  readlinkSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { syncFolder } from '../../util/durable-file.ts'
import { createOwnName } from '../../util/leftovers.ts'
import { isLeftBehind } from '../../util/owner.ts'
import {
  filterSegments,
  getEpoch,
  getFirstSeq,
  getSegmentPath,
  listReplacedSegments,
} from './audit-paths.ts'
import type { ChainLink } from './chain.ts'

const FENCE = /^fenced\.(\d+)$/

const fsyncFile = promisify(fsync)

/** Lock of a log, as far as its owner needs it. */
export interface OwnedLock {
  readonly number: number
  /** True if another process took the lock away. */
  isFenced(): boolean
}

/**
 * Thrown if another process took the lock away. Records that were written since may be in the log or
 * not; `links` has those of the entries, in order.
 */
export class FencedError extends Error {
  readonly links: readonly ChainLink[]

  constructor(links: readonly ChainLink[] = []) {
    super('Another process took over the lock of the audit log')
    this.links = links
  }
}

/** Name of the mark that tells the owner of a lock that it has lost it. */
export function getFenceName(number: number): string {
  return `fenced.${number}`
}

/** Highest number of a lock that was taken away; 0 if there is none. */
export function findHighestFence(names: readonly string[]): number {
  return Math.max(0, ...names.map((name) => Number(FENCE.exec(name)?.[1] ?? 0)))
}

/** Removes the marks of owners that are dead. */
export function removeOldFences(dir: string, names: readonly string[]): void {
  for (const name of names.filter((each) => FENCE.test(each))) {
    const path = join(dir, name)
    try {
      const owner = readlinkSync(path)
      const age = Date.now() - Number(owner.split('.').at(-1))
      if (isLeftBehind(owner, age)) rmSync(path, { force: true })
    } catch {
      // Its owner has removed it.
    }
  }
}

/**
 * Replaces the newest segment by a copy if an owner that was fenced off may still have it open, so
 * that whatever that one writes later is in a file that is not part of the log. Requires the lock.
 * Returns the names in the folder.
 *
 * An owner checks after each write whether it was fenced off. The mark exists before the copy is
 * made, so a record is in the copy if its owner does not see the mark.
 */
export async function replaceFencedSegment(
  dir: string,
  names: readonly string[],
  lock: OwnedLock,
): Promise<readonly string[]> {
  const fence = findHighestFence(names)
  if (fence === 0) return names
  const newest = filterSegments(names).at(-1)
  const isCurrent = newest === undefined || getEpoch(newest) > fence
  const all = isCurrent ? names : [...names, await copySegment(dir, newest, lock.number)]
  for (const name of listReplacedSegments(all)) rmSync(join(dir, name), { force: true })
  return all
}

/** The copy is durable before it has its name, which no other process uses. */
async function copySegment(dir: string, segment: string, epoch: number): Promise<string> {
  const copy = join(dir, createOwnName())
  try {
    copyFileSync(join(dir, segment), copy, constants.COPYFILE_FICLONE)
    const fd = openSync(copy, 'r+')
    try {
      await fsyncFile(fd)
    } finally {
      closeSync(fd)
    }
    const path = getSegmentPath(dir, getFirstSeq(segment), epoch)
    renameSync(copy, path)
    await syncFolder(dir)
    return path.slice(dir.length + 1)
  } catch (error) {
    rmSync(copy, { force: true })
    throw error
  }
}
