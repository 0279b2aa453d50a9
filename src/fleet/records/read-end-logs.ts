import { Readable } from 'node:stream'
import type { LogReader } from '../../core/runs/history/recorded-output.ts'
import { SkillsError } from '../../errors.ts'
import { ObjectMissingError, type Objects } from '../objects/objects.ts'
import type { EncodedEnd } from './run-end.ts'

/** Streams the logs of an end from an offset. */
export function openEndLogs(
  { logs }: Pick<EncodedEnd, 'logs'>,
  objects: Objects,
  { runId, offset = 0 }: { runId: string; offset?: number },
): Readable {
  if ('inline' in logs) return openBytes(Buffer.from(logs.inline, 'base64').subarray(offset))
  const { object } = logs
  if (offset >= object.size) return openBytes(Buffer.alloc(0))
  const source = objects.read(object, offset === 0 ? undefined : { start: offset })
  return Readable.from(readStoredLogs(source, runId))
}

/** Streams bytes, and ends at once if there are none. */
export function openBytes(bytes: Buffer): Readable {
  return Readable.from(bytes.length === 0 ? [] : [bytes])
}

async function* readStoredLogs(source: Readable, runId: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of source) yield chunk as Buffer
  } catch (error) {
    if (!isObjectMissing(error)) throw error
    throw new SkillsError(
      'output/expired',
      `The logs of the run "${runId}" are not stored any more`,
      {
        hint: 'Logs that are too long for the record expire with other data: see store.ttl',
        data: { run_id: runId },
        cause: error,
      },
    )
  }
}

/** True if an object has expired or was removed. */
export function isObjectMissing(error: unknown): boolean {
  return error instanceof ObjectMissingError
}

/** Reads a stream by positions that only grow. */
export function openLogReader(source: Readable): LogReader {
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>
  let chunk: Buffer = Buffer.alloc(0)
  let chunkStart = 0
  return {
    // The signature is that of `FileHandle.read`.
    // oxlint-disable-next-line max-params
    async read(buffer, offset, length, position) {
      while (position >= chunkStart + chunk.length) {
        const next = await chunks.next()
        if (next.done === true) return { bytesRead: 0 }
        chunkStart += chunk.length
        chunk = next.value
      }
      const from = position - chunkStart
      return { bytesRead: chunk.copy(buffer, offset, from, from + length) }
    },
    close: async () => void source.destroy(),
  }
}
