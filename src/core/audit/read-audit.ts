import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { readHead } from './audit-head.ts'
import { readFolderNames, filterSegments } from './audit-paths.ts'
import type { AuditRecord } from './audit-record.ts'
import type { AuditSource } from './audit-source.ts'
import { decodeLine } from './chain.ts'
import { splitLines, splitLinesBackwards } from './split-lines.ts'

const BLOCK_BYTES = 256 * 1024

/** Reads the log of a folder, which need not exist. */
export function openAuditSource(dir: string): AuditSource {
  return {
    head: async () => readHead(dir),
    segments: async () =>
      filterSegments(readFolderNames(dir)).map((name) => ({
        name,
        lines: () => splitLines(readBlocks(join(dir, name))),
        newestFirst: () => splitLinesBackwards(readBlocksBackwards(join(dir, name))),
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

function* readBlocksBackwards(file: string): Generator<Buffer> {
  const fd = openIfPresent(file)
  if (fd === undefined) return
  try {
    for (let end = fstatSync(fd).size; end > 0;) {
      const start = Math.max(0, end - BLOCK_BYTES)
      const block = Buffer.alloc(end - start)
      readSync(fd, block, 0, block.length, start)
      yield block
      end = start
    }
  } finally {
    closeSync(fd)
  }
}
