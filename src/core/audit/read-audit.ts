import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { readHead } from './audit-head.ts'
import { readFolderNames, filterSegments } from './audit-paths.ts'
import type { AuditRecord } from './audit-record.ts'
import type { AuditLine, AuditSource } from './audit-source.ts'
import { decodeLine } from './chain.ts'

const BLOCK_BYTES = 256 * 1024

/** Reads the log of a folder, which need not exist. */
export function openAuditSource(dir: string): AuditSource {
  return {
    head: async () => readHead(dir),
    segments: async () =>
      filterSegments(readFolderNames(dir)).map((name) => ({
        name,
        lines: () => readLines(join(dir, name)),
        newestFirst: () => readLinesBackwards(join(dir, name)),
      })),
  }
}

/**
 * Yields all records, newest first. A line that is not a record is skipped: verification reports
 * it.
 */
export async function* readNewestFirst(source: AuditSource): AsyncGenerator<AuditRecord> {
  for (const segment of (await source.segments()).toReversed()) {
    for await (const batch of segment.newestFirst()) {
      for (const text of batch) {
        const decoded = decodeLine(text)
        if (decoded) yield decoded.record
      }
    }
  }
}

async function* readLines(file: string): AsyncGenerator<readonly AuditLine[]> {
  let number = 0
  let rest = Buffer.alloc(0)
  for (const block of readBlocks(file)) {
    const all = Buffer.concat([rest, block])
    const batch: AuditLine[] = []
    let start = 0
    for (let end = all.indexOf(0x0a); end !== -1; end = all.indexOf(0x0a, start)) {
      number += 1
      batch.push({ text: all.toString('utf8', start, end), number, isWhole: true })
      start = end + 1
    }
    rest = all.subarray(start)
    yield batch
  }
  if (rest.length > 0) yield [{ text: rest.toString('utf8'), number: number + 1, isWhole: false }]
}

/** Undefined if the file was removed meanwhile. */
function openIfPresent(file: string): number | undefined {
  try {
    return openSync(file, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function* readBlocks(file: string): Generator<Buffer> {
  const fd = openIfPresent(file)
  if (fd === undefined) return
  try {
    const { size } = fstatSync(fd)
    for (let at = 0; at < size;) {
      const block = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, size - at))
      const length = readSync(fd, block, 0, block.length, at)
      if (length === 0) return
      at += length
      yield block.subarray(0, length)
    }
  } finally {
    closeSync(fd)
  }
}

async function* readLinesBackwards(file: string): AsyncGenerator<readonly string[]> {
  const fd = openIfPresent(file)
  if (fd === undefined) return
  try {
    let rest = Buffer.alloc(0)
    for (let end = fstatSync(fd).size; end > 0;) {
      const start = Math.max(0, end - BLOCK_BYTES)
      const block = Buffer.alloc(end - start)
      readSync(fd, block, 0, block.length, start)
      const all = Buffer.concat([block, rest])
      const batch: string[] = []
      let last = all.length
      for (let at = all.lastIndexOf(0x0a); at !== -1; at = findPreviousNewline(all, at)) {
        if (at + 1 < last) batch.push(all.toString('utf8', at + 1, last))
        last = at
      }
      rest = all.subarray(0, last)
      end = start
      yield batch
    }
    if (rest.length > 0) yield [rest.toString('utf8')]
  } finally {
    closeSync(fd)
  }
}

function findPreviousNewline(bytes: Buffer, at: number): number {
  return at === 0 ? -1 : bytes.lastIndexOf(0x0a, at - 1)
}
