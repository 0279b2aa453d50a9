import { open } from 'node:fs/promises'
import type { RunRecord } from './run-record.ts'

/** What lies in a file: the record on one line, and the marks of who is writing it. */
export interface StoredRecord {
  record: RunRecord
  /** Process that runs it; only before it has ended. */
  owner?: string
}

const PIECE = 16 * 1024

/** A file's first line; what follows are logs. */
export function encodeRecord(stored: StoredRecord): string {
  return `${JSON.stringify(stored)}\n`
}

/** Undefined where there is no whole record. */
export async function readRecord(
  path: string,
): Promise<(StoredRecord & { logsStart: number }) | undefined> {
  const line = await readLine(path)
  if (line === undefined) return undefined
  try {
    return { ...(JSON.parse(line.toString('utf8')) as StoredRecord), logsStart: line.length + 1 }
  } catch {
    return undefined
  }
}

async function readLine(path: string): Promise<Buffer | undefined> {
  const file = await open(path, 'r').catch(() => undefined)
  if (!file) return undefined
  try {
    const pieces: Buffer[] = []
    for (;;) {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(PIECE), 0, PIECE, null)
      const piece = buffer.subarray(0, bytesRead)
      const end = piece.indexOf(10)
      pieces.push(end === -1 ? piece : piece.subarray(0, end))
      if (end !== -1) return Buffer.concat(pieces)
      if (bytesRead === 0) return undefined
    }
  } finally {
    await file.close()
  }
}
