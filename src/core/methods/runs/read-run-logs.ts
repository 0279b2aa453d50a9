import { invalidParamError } from '../../../errors.ts'
import { describeFoundRun } from '../../runs/detached/describe-run-state.ts'
import { findRun } from '../../runs/detached/find-run.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import type { ReadRunLogsParams, ReadRunLogsResult } from './definition.ts'
import { LOG_PART_BYTES } from './log-part-bytes.ts'

/** Bytes of a UTF-8 character that a cut can leave. */
const MAX_CUT_BYTES = 3

/** Returns a part of the logs of a run. */
export async function readRunLogs(
  services: Services,
  { run_id: id, offset = 0, max_bytes: max = LOG_PART_BYTES.usual }: ReadRunLogsParams,
  call: RunCall,
): Promise<ReadRunLogsResult> {
  requireWithin('offset', offset, [0, Number.MAX_SAFE_INTEGER])
  requireWithin('max_bytes', max, [LOG_PART_BYTES.least, LOG_PART_BYTES.most])
  const found = await findRun(services, id, call.caller)
  // Read before the logs: a run that has ended then prints nothing more.
  const { status } = await describeFoundRun(services, found)
  const { bytes, hasMore } = await readLogBytes(services, found.recordedId, { offset, max })
  const isCut = hasMore || found.isRunning
  const taken = isCut ? cutAtCharacter(bytes) : bytes
  const nextOffset = offset + taken.length
  return {
    run_id: id,
    offset,
    next_offset: nextOffset,
    more: isCut,
    ...encodeLogs(taken),
    status,
  }
}

function requireWithin(
  name: string,
  value: number,
  [least, most]: readonly [number, number],
): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return
  throw invalidParamError(name, `expected ${least} to ${most}, got ${value}`)
}

async function readLogBytes(
  services: Services,
  id: string | undefined,
  { offset, max }: { offset: number; max: number },
): Promise<{ bytes: Buffer; hasMore: boolean }> {
  const chunks: Buffer[] = []
  let size = 0
  if (id !== undefined) {
    for await (const chunk of await (await services.runs()).logs(id, offset)) {
      chunks.push(chunk as Buffer)
      size += (chunk as Buffer).length
      if (size > max) break
    }
  }
  return { bytes: Buffer.concat(chunks).subarray(0, max), hasMore: size > max }
}

/** Leaves the beginning of a character at the end for the next answer. */
function cutAtCharacter(bytes: Buffer): Buffer {
  for (let cut = 1; cut <= Math.min(MAX_CUT_BYTES, bytes.length); cut++) {
    const byte = bytes[bytes.length - cut] as number
    if (byte < 0x80) return bytes
    // The first byte of a character has the number of its bytes.
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    if (byte >= 0xc0) return length > cut ? bytes.subarray(0, -cut) : bytes
  }
  return bytes
}

function encodeLogs(bytes: Buffer): { logs: string; encoding?: 'base64' } {
  try {
    return { logs: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return { logs: bytes.toString('base64'), encoding: 'base64' }
  }
}
