import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { LogMap } from './log-pieces.ts'
import type { RunRecord } from './run-record.ts'

/** One line of a file: how a run began, or how it ended. */
interface StoredRecord {
  /** Process that runs it; only of the beginning. */
  owner?: string
  record: RunRecord
  /** Where the pieces of the logs came from; only of the end. */
  map?: LogMap
  /** Bytes of logs that follow the end. */
  follow?: number
}

/** A record, and where what is behind it starts. */
interface ReadRecord extends StoredRecord {
  logsStart: number
}

const CHUNK_BYTES = 16 * 1024
const LINE_END = 10

/** A file has a line for the beginning, one for the end, and then logs. */
export function encodeRecord({ owner, ...rest }: StoredRecord): string {
  return `${JSON.stringify({ ...(owner !== undefined && { owner }), ...rest })}\n`
}

/** How a run ended, or how it began where its end was not written wholly; undefined where neither was. */
export function readRecord(path: string): ReadRecord | undefined {
  return withLineReader(path, (lines) => {
    const first = lines.next()
    const begun = parseRecordLine(first, first?.length)
    if (first === undefined || begun?.owner === undefined) return begun
    const second = lines.next()
    const ended = parseRecordLine(second, first.length + 1 + (second?.length ?? 0))
    if (ended && ended.logsStart + (ended.follow ?? 0) <= lines.size()) return ended
    return { ...begun, logsStart: lines.size() }
  })
}

/** How a run began that is marked as under way; undefined where it has not begun wholly. */
export function readMarker(path: string): StoredRecord | undefined {
  return withLineReader(path, (lines) => parseRecordLine(lines.next(), 0))
}

function parseRecordLine(line: Buffer | undefined, end = 0): ReadRecord | undefined {
  if (line === undefined) return undefined
  try {
    return { ...(JSON.parse(line.toString('utf8')) as StoredRecord), logsStart: end + 1 }
  } catch {
    return undefined
  }
}

interface LineReader {
  /** The next whole line. */
  next(): Buffer | undefined
  /** Of the whole file. */
  size(): number
}

function withLineReader<T>(path: string, look: (lines: LineReader) => T): T | undefined {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return undefined
  }
  try {
    return look(createLineReader(file))
  } finally {
    closeSync(file)
  }
}

function createLineReader(file: number): LineReader {
  let rest: Buffer = Buffer.alloc(0)
  return {
    size: () => fstatSync(file).size,
    next() {
      const pieces: Buffer[] = []
      for (let piece = rest; ; piece = readChunk(file)) {
        const end = piece.indexOf(LINE_END)
        pieces.push(end === -1 ? piece : piece.subarray(0, end))
        rest = end === -1 ? Buffer.alloc(0) : piece.subarray(end + 1)
        if (end !== -1) return Buffer.concat(pieces)
        if (piece.length === 0 && pieces.length > 1) return undefined
      }
    },
  }
}

function readChunk(file: number): Buffer {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  return buffer.subarray(0, readSync(file, buffer))
}
