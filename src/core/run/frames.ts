import { timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

export const KEY_BYTES = 16
const HEAD_BYTES = KEY_BYTES + 1 + 4 + 4
/** Longer frames are never sent by the harness. */
const MAX_CONTENT = 1024 ** 2

/** One message of the harness: `B`, `C`, `E` begin, continue and end a blob, `R` is the result. */
export interface Frame {
  kind: string
  content: Buffer
}

/**
 * Takes the harness's frames out of everything that was written to the channel. User code shares
 * the harness's process and may write there by accident or on purpose: what lacks the run's key or
 * fails its checksum is passed over, byte by byte.
 */
export async function* readFrames(
  source: AsyncIterable<Buffer>,
  key: Buffer,
): AsyncGenerator<Frame> {
  let pending: Buffer = Buffer.alloc(0)
  for await (const chunk of source) {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
    for (;;) {
      pending = seek(pending, key)
      const size = pending.length < HEAD_BYTES ? undefined : pending.readUInt32BE(KEY_BYTES + 1)
      if (size === undefined) break
      if (size > MAX_CONTENT) {
        pending = pending.subarray(1)
        continue
      }
      if (pending.length < HEAD_BYTES + size) break
      const content = pending.subarray(HEAD_BYTES, HEAD_BYTES + size)
      if (crc32(content) === pending.readUInt32BE(KEY_BYTES + 5)) {
        yield { kind: String.fromCharCode(pending[KEY_BYTES] as number), content }
        pending = pending.subarray(HEAD_BYTES + size)
      } else pending = pending.subarray(1)
    }
  }
}

/** Drops what cannot belong to a frame; keeps the start of a key that is not complete yet. */
function seek(bytes: Buffer, key: Buffer): Buffer {
  if (bytes.length >= KEY_BYTES && timingSafeEqual(bytes.subarray(0, KEY_BYTES), key)) return bytes
  const at = bytes.indexOf(key)
  return at === -1 ? bytes.subarray(Math.max(0, bytes.length - KEY_BYTES + 1)) : bytes.subarray(at)
}
