import { closeSync, openSync, readSync } from 'node:fs'
import type { LogMap } from './log-pieces.ts'
import type { RunRecord } from './run-record.ts'

/** What lies in a file: the record on one line, and the marks of who is writing it. */
export interface StoredRecord {
  record: RunRecord
  /** Process that runs it; only before it has ended. */
  owner?: string
  /** Where the pieces of the logs came from; only of a run that has ended. */
  map?: LogMap
}

const PIECE = 16 * 1024

/** A file's first line; what follows are logs. */
export function encodeRecord(stored: StoredRecord): string {
  return `${JSON.stringify(stored)}\n`
}

/** Undefined where there is no whole record. */
export function readRecord(path: string): (StoredRecord & { logsStart: number }) | undefined {
  const line = readLine(path)
  if (line === undefined) return undefined
  try {
    return { ...(JSON.parse(line.toString('utf8')) as StoredRecord), logsStart: line.length + 1 }
  } catch {
    return undefined
  }
}

function readLine(path: string): Buffer | undefined {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return undefined
  }
  try {
    const pieces: Buffer[] = []
    for (;;) {
      const buffer = Buffer.allocUnsafe(PIECE)
      const piece = buffer.subarray(0, readSync(file, buffer))
      const end = piece.indexOf(10)
      pieces.push(end === -1 ? piece : piece.subarray(0, end))
      if (end !== -1) return Buffer.concat(pieces)
      if (piece.length === 0) return undefined
    }
  } finally {
    closeSync(file)
  }
}
