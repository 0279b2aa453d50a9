import { invalidParamError, SkillsError } from '../../../errors.ts'
import { formatBytes } from '../../../util/quantity.ts'
import type { Services } from '../../services.ts'
import type { BlobInfo, BlobStore } from '../../storage/blob-store.ts'
import type { ReadBlobParams, ReadBlobResult } from './definition.ts'
import { DEFAULT_MAX_BYTES, READ_MODES } from './sample.ts'

/** Limit on the bytes of one response. */
const MAX_ANSWER_BYTES = 1024 ** 2
/** A cut leaves at most three bytes of a UTF-8 character. */
const MAX_CUT_BYTES = 3

/** `read_blob`: returns the beginning, the end or all of a blob. */
export async function readBlob(
  services: Pick<Services, 'blobs'>,
  { blob_id: id, mode = 'sample_head', max_bytes: max = DEFAULT_MAX_BYTES }: ReadBlobParams,
): Promise<ReadBlobResult> {
  checkMode(mode)
  if (!Number.isSafeInteger(max) || max < 1) {
    throw invalidParamError('max_bytes', `expected a whole number of at least 1, got ${max}`)
  }
  const store = await services.blobs()
  const info = await store.info(id)
  if (mode === 'full') checkSize(info)
  // Clients that follow the protocol's example send its default with every call.
  const isUnlimited = mode === 'full' && max === DEFAULT_MAX_BYTES
  const length = Math.min(info.size, MAX_ANSWER_BYTES, isUnlimited ? Infinity : max)
  const start = mode === 'sample_tail' ? info.size - length : 0
  const bytes = await readRange(store, id, { start, end: start + length })
  const { content, taken, encoding } = encodeSample(bytes, {
    cutBefore: start > 0,
    cutAfter: start + length < info.size,
  })
  return {
    content,
    ...(encoding && { encoding }),
    truncated: taken < info.size,
    kind: info.kind,
    size_bytes: info.size,
  }
}

/**
 * Decodes text without the partial characters at its cut edges; encodes all bytes as base64 if they
 * are not text.
 */
function encodeSample(
  bytes: Buffer,
  { cutBefore, cutAfter }: { cutBefore: boolean; cutAfter: boolean },
): { content: string; taken: number; encoding?: 'base64' } {
  const heads = cutBefore ? MAX_CUT_BYTES : 0
  const tails = cutAfter ? MAX_CUT_BYTES : 0
  const start = skipContinuations(bytes, heads)
  for (let cut = 0; cut <= Math.min(tails, bytes.length - start); cut++) {
    const piece = bytes.subarray(start, bytes.length - cut)
    const content = decodeUtf8(piece)
    if (content === undefined) continue
    // The omitted bytes must be the start of a character, not binary data.
    if (cut > 0 && !isCharacterPrefix(bytes.subarray(bytes.length - cut))) break
    return { content, taken: piece.length }
  }
  return { content: bytes.toString('base64'), taken: bytes.length, encoding: 'base64' }
}

function skipContinuations(bytes: Buffer, limit: number): number {
  let at = 0
  while (at < limit && at < bytes.length && ((bytes[at] as number) & 0xc0) === 0x80) at += 1
  return at
}

/** True if bytes are the start of a longer character. */
function isCharacterPrefix(bytes: Buffer): boolean {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true }) === ''
  } catch {
    return false
  }
}

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

async function readRange(
  store: BlobStore,
  id: string,
  range: { start: number; end: number },
): Promise<Buffer> {
  if (range.end === range.start) return Buffer.alloc(0)
  const chunks: Buffer[] = []
  for await (const chunk of await store.read(id, range)) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function checkMode(mode: string): void {
  if ((READ_MODES as readonly string[]).includes(mode)) return
  throw invalidParamError(
    'mode',
    `expected one of ${READ_MODES.join(', ')}, got "${mode.slice(0, 100)}"`,
  )
}

function checkSize({ id, size }: BlobInfo): void {
  if (size <= MAX_ANSWER_BYTES) return
  throw new SkillsError(
    'blob/too-large',
    `The blob has ${formatBytes(size)}, more than the limit of ${formatBytes(MAX_ANSWER_BYTES)} for a full read`,
    {
      hint: 'Read a sample of it, or pass it to a skill',
      data: { blob_id: id, size_bytes: size, max_bytes: MAX_ANSWER_BYTES },
    },
  )
}
