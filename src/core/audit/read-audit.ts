import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { AuditRecord } from './audit-record.ts'
import { namesIn, segmentsIn } from './audit-places.ts'
import { decodeLine } from './chain.ts'

const BLOCK = 256 * 1024

/** One line of a log, where it stands. */
export interface AuditLine {
  /** Without its end; undefined bytes are shown as such. */
  text: string
  file: string
  /** From 1. */
  number: number
  /** False for the last one of a file where its end is missing. */
  isWhole: boolean
}

/** The files of a log, oldest first. */
export function auditFiles(dir: string): string[] {
  return segmentsIn(namesIn(dir)).map((name) => join(dir, name))
}

/** Every line of a file, in order; what is appended meanwhile is not read. */
export function* linesOf(file: string): Generator<AuditLine> {
  let number = 0
  let rest = Buffer.alloc(0)
  for (const block of blocksOf(file)) {
    const all = Buffer.concat([rest, block])
    let start = 0
    for (let end = all.indexOf(0x0a); end !== -1; end = all.indexOf(0x0a, start)) {
      number += 1
      yield { text: all.toString('utf8', start, end), file, number, isWhole: true }
      start = end + 1
    }
    rest = all.subarray(start)
  }
  if (rest.length > 0) {
    yield { text: rest.toString('utf8'), file, number: number + 1, isWhole: false }
  }
}

/** Undefined where it was removed meanwhile. */
function openFile(file: string): number | undefined {
  try {
    return openSync(file, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function* blocksOf(file: string): Generator<Buffer> {
  const fd = openFile(file)
  if (fd === undefined) return
  try {
    const { size } = fstatSync(fd)
    for (let at = 0; at < size;) {
      const block = Buffer.allocUnsafe(Math.min(BLOCK, size - at))
      const length = readSync(fd, block, 0, block.length, at)
      if (length === 0) return
      at += length
      yield block.subarray(0, length)
    }
  } finally {
    closeSync(fd)
  }
}

/** Every record, the newest first. What is no record is passed over: verifying tells of it. */
export function* newestFirst(dir: string): Generator<AuditRecord> {
  for (const file of auditFiles(dir).toReversed()) {
    for (const text of linesBackwards(file)) {
      const decoded = decodeLine(text)
      if (decoded) yield decoded.record
    }
  }
}

function* linesBackwards(file: string): Generator<string> {
  const fd = openFile(file)
  if (fd === undefined) return
  try {
    let rest = Buffer.alloc(0)
    for (let end = fstatSync(fd).size; end > 0;) {
      const start = Math.max(0, end - BLOCK)
      const block = Buffer.alloc(end - start)
      readSync(fd, block, 0, block.length, start)
      const all = Buffer.concat([block, rest])
      let last = all.length
      for (let at = all.lastIndexOf(0x0a); at !== -1; at = before(all, at)) {
        if (at + 1 < last) yield all.toString('utf8', at + 1, last)
        last = at
      }
      rest = all.subarray(0, last)
      end = start
    }
    if (rest.length > 0) yield rest.toString('utf8')
  } finally {
    closeSync(fd)
  }
}

function before(bytes: Buffer, at: number): number {
  return at === 0 ? -1 : bytes.lastIndexOf(0x0a, at - 1)
}
