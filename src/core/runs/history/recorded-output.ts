import { decodePieces, type LogMap } from './log-pieces.ts'
import type { RunRecord } from './run-record.ts'
import type { RecordedOutput, RecordedStream } from './run-store.ts'

/** Bytes of one read. */
const BLOCK_BYTES = 256 * 1024

/** Logs that are read from lower to higher positions; a `FileHandle` is one. */
export interface LogReader {
  /** Fills a part of the buffer with bytes at a position. Reads none at the end. */
  read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ bytesRead: number }>
  close(): Promise<void>
}

/** Stored logs, and the position at which they start. */
export interface StoredLogs {
  open(): Promise<LogReader>
  start: number
}

/** Opens the streams of stored logs. */
export function openRecordedOutput(
  record: RunRecord,
  map: LogMap,
  logs: StoredLogs,
): RecordedOutput {
  const stream = (source: 'stdout' | 'stderr'): RecordedStream => ({
    ...map[source],
    read: async (take) => await readStream(source, { map, logs, take }),
  })
  return { record, stdout: stream('stdout'), stderr: stream('stderr') }
}

async function readStream(
  name: 'stdout' | 'stderr',
  from: {
    map: LogMap
    logs: StoredLogs
    take: (bytes: Buffer) => boolean
  },
): Promise<void> {
  if (from.map[name].bytes === 0) return
  const file = await from.logs.open()
  try {
    const block = Buffer.allocUnsafeSlow(BLOCK_BYTES)
    let at = from.logs.start
    let filled = 0
    for (const { source, length } of decodePieces(from.map)) {
      let remaining = source === name ? length : 0
      while (remaining > 0) {
        const size = Math.min(remaining, BLOCK_BYTES - filled)
        const { bytesRead } = await file.read(block, filled, size, at + length - remaining)
        if (bytesRead === 0) throw new Error('the logs are shorter than recorded')
        filled += bytesRead
        remaining -= bytesRead
        if (filled < BLOCK_BYTES) continue
        if (!from.take(block)) return
        filled = 0
      }
      at += length
    }
    if (filled > 0) from.take(block.subarray(0, filled))
  } finally {
    await file.close()
  }
}
