import { createHash } from 'node:crypto'
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { AuditRecord, AuditRepair } from './audit-record.ts'
import { filterSegments } from './audit-paths.ts'
import { FencedError, type OwnedLock } from './fencing.ts'
import { decodeLine, CHAIN_START, type ChainLink } from './chain.ts'

/** End of a log, and the damage found there. */
export interface LogTail {
  link: ChainLink
  /** The newest segment; undefined if there is none yet. */
  file: string | undefined
  size: number
  repairs: readonly AuditRepair[]
}

const BLOCK_BYTES = 64 * 1024

/**
 * Finds the last complete record and cuts off the partial one that a crash may have left. Requires
 * the lock.
 */
export function findTail(dir: string, names: readonly string[], lock: OwnedLock): LogTail {
  const files = filterSegments(names).map((name) => join(dir, name))
  const repairs: AuditRepair[] = []
  const newest = files.at(-1)
  // Behind it, an owner that was fenced off may have left a segment without records.
  const written = files.findLast((file) => statSync(file).size > 0)
  const writtenSize = written === undefined ? 0 : cutTornRecord(written, repairs, lock)
  const size = written === newest ? writtenSize : 0
  for (const file of files.toReversed()) {
    // A crash may have left a segment without records; the chain continues from the previous one.
    const last = readLastRecord(file)
    if (!last) continue
    const { seq, hash } = last
    return { link: { seq, hash }, file: newest, size, repairs }
  }
  return { link: CHAIN_START, file: newest, size, repairs }
}

/** Truncates a file after its last complete record and returns the size. */
function cutTornRecord(file: string, repairs: AuditRepair[], lock: OwnedLock): number {
  const fd = openSync(file, 'r+')
  try {
    // From here on, a fenced owner has a file that is no longer part of the log.
    if (lock.isFenced()) throw new FencedError()
    const { size } = fstatSync(fd)
    const completeSize = findLastLineEnd(fd, size)
    if (completeSize === size) return size
    const torn = Buffer.alloc(size - completeSize)
    readSync(fd, torn, 0, torn.length, completeSize)
    ftruncateSync(fd, completeSize)
    repairs.push({
      event: 'repaired',
      problem: 'A crash left a partial record at the end of the log, which was cut off',
      cut_bytes: torn.length,
      cut_digest: `sha256:${createHash('sha256').update(torn).digest('hex')}`,
    })
    return completeSize
  } finally {
    closeSync(fd)
  }
}

function findLastLineEnd(fd: number, size: number): number {
  const block = Buffer.alloc(BLOCK_BYTES)
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - BLOCK_BYTES)
    const length = readSync(fd, block, 0, end - start, start)
    const at = block.subarray(0, length).lastIndexOf(0x0a)
    if (at !== -1) return start + at + 1
    end = start
  }
  return 0
}

/**
 * Reads the last line of a file without checking its hash, which the head is for. Undefined if it
 * is not a record.
 */
export function readLastRecord(file: string): AuditRecord | undefined {
  const fd = openSync(file, 'r')
  try {
    const { size } = fstatSync(fd)
    const start = findLastLineEnd(fd, size - 1)
    if (size <= start) return undefined
    const line = Buffer.alloc(size - 1 - start)
    readSync(fd, line, 0, line.length, start)
    return decodeLine(line.toString('utf8'))?.record
  } finally {
    closeSync(fd)
  }
}

/** Describes how the end of a log differs from its head; undefined if they agree. */
export function compareWithHead(
  tail: ChainLink,
  head: ChainLink | undefined,
): AuditRepair | undefined {
  const damaged = (problem: string): AuditRepair => ({
    event: 'damaged',
    problem,
    found: tail,
    remembered: head ?? null,
  })
  if (!head) {
    return tail.seq === 0 ? undefined : damaged('The head of the log is missing or not readable')
  }
  // A crash between the two writes leaves more records than the head says.
  if (tail.seq > head.seq) return undefined
  if (tail.seq < head.seq) return damaged('Records at the end of the log are missing')
  return tail.hash === head.hash ? undefined : damaged('The last record was replaced')
}
