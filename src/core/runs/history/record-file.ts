import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { parseSealedJson, sealJson } from '../../../util/sealed-json.ts'
import type { LogMap } from './log-pieces.ts'
import { getRecordFile, parseLocationId, type RecordLocation } from './record-locations.ts'
import type { RunRecord } from './run-record.ts'

/** One line of a record file: the beginning or the end of a run. */
export interface StoredRecord {
  /** The process that runs it; only in the first line. */
  owner?: string
  record: RunRecord
  /** The sources of the log pieces; only in the last line. */
  map?: LogMap
  /** Bytes of logs after the last line. */
  follow?: number
}

/** A record, and the offset after its line. */
interface ReadRecord extends StoredRecord {
  logsStart: number
}

const CHUNK_BYTES = 16 * 1024
const LINE_END = 10
/** The name of a record's file is derived from it. */
const START_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/** Encodes one line. A file has a line for the beginning, one for the end, and then the logs. */
export function encodeRecord({ owner, ...rest }: StoredRecord): string {
  return `${sealJson({ ...(owner !== undefined && { owner }), ...rest })}\n`
}

/**
 * Reads the end of a run, or its beginning if the end is incomplete; undefined if both are, or if the
 * file has the record of another run.
 */
export function readRecord(dir: string, location: RecordLocation): ReadRecord | undefined {
  const stored = withLineReader(getRecordFile(dir, location), readLines)
  return stored?.record.run_id === parseLocationId(location) ? stored : undefined
}

function readLines(lines: LineReader): ReadRecord | undefined {
  const first = lines.next()
  const started = parseRecordLine(first, first?.length)
  if (first === undefined || started?.owner === undefined) return started
  const second = lines.next()
  const ended = parseRecordLine(second, first.length + 1 + (second?.length ?? 0))
  if (ended && ended.logsStart + (ended.follow ?? 0) <= lines.size()) return ended
  return { ...started, logsStart: lines.size() }
}

/** Reads the beginning of an active run; undefined if its line is incomplete. */
export function readMarker(path: string): StoredRecord | undefined {
  return withLineReader(path, (lines) => parseRecordLine(lines.next(), 0))
}

function parseRecordLine(line: Buffer | undefined, end = 0): ReadRecord | undefined {
  if (line === undefined) return undefined
  try {
    const stored = parseSealedJson(line.toString('utf8')) as StoredRecord
    if (!isRunRecord(stored.record) || !hasFollowingBytes(stored)) return undefined
    return { ...stored, logsStart: end + 1 }
  } catch {
    return undefined
  }
}

/** Members that listings and file names are made from: a line without them is not a record. */
function isRunRecord(record: RunRecord): boolean {
  const { run_id: id, status, started_at: startedAt, skills, request, logs } = record
  return (
    [id, status, record.kind].every((each) => typeof each === 'string') &&
    START_TIME.test(startedAt) &&
    Array.isArray(skills) &&
    skills.every((each) => typeof Object(each).name === 'string') &&
    [record.who, request, logs].every((each) => typeof each === 'object' && each !== null)
  )
}

function hasFollowingBytes({ follow = 0 }: StoredRecord): boolean {
  return Number.isSafeInteger(follow) && follow >= 0
}

interface LineReader {
  /** Returns the next complete line. */
  next(): Buffer | undefined
  /** Size of the whole file in bytes. */
  size(): number
}

function withLineReader<T>(path: string, look: (lines: LineReader) => T): T | undefined {
  let fd: number
  try {
    fd = openSync(path, 'r')
  } catch {
    return undefined
  }
  try {
    return look(createLineReader(fd))
  } finally {
    closeSync(fd)
  }
}

function createLineReader(fd: number): LineReader {
  let rest: Buffer = Buffer.alloc(0)
  return {
    size: () => fstatSync(fd).size,
    next() {
      const chunks: Buffer[] = []
      for (let chunk = rest; ; chunk = readChunk(fd)) {
        const end = chunk.indexOf(LINE_END)
        chunks.push(end === -1 ? chunk : chunk.subarray(0, end))
        rest = end === -1 ? Buffer.alloc(0) : chunk.subarray(end + 1)
        if (end !== -1) return Buffer.concat(chunks)
        if (chunk.length === 0 && chunks.length > 1) return undefined
      }
    },
  }
}

function readChunk(fd: number): Buffer {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  return buffer.subarray(0, readSync(fd, buffer))
}
