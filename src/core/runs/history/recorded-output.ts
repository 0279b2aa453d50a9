import { open } from 'node:fs/promises'
import { decodePieces, type LogMap } from './log-pieces.ts'
import type { RunRecord } from './run-record.ts'
import type { RecordedOutput, RecordedStream } from './run-store.ts'

/** Bytes of one read. */
const BLOCK_BYTES = 256 * 1024

/** Opens the streams of logs that start at an offset of a file. */
export function openRecordedOutput(
  record: RunRecord,
  map: LogMap,
  logs: { file: string; start: number },
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
    logs: { file: string; start: number }
    take: (bytes: Buffer) => boolean
  },
): Promise<void> {
  if (from.map[name].bytes === 0) return
  const file = await open(from.logs.file, 'r')
  try {
    const block = Buffer.allocUnsafeSlow(BLOCK_BYTES)
    let at = from.logs.start
    let filled = 0
    for (const { source, length } of decodePieces(from.map)) {
      let remaining = source === name ? length : 0
      while (remaining > 0) {
        const size = Math.min(remaining, BLOCK_BYTES - filled)
        const { bytesRead } = await file.read(block, filled, size, at + length - remaining)
        if (bytesRead === 0) throw new Error('the log file is shorter than recorded')
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
