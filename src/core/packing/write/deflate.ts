import { loadLazily } from '../../../util/load-lazily.ts'
import { startWorkSlices } from '../../../util/slices/work-slices.ts'

const loadFflate = loadLazily(async () => await import('fflate'))

/**
 * Explicit, because the default of `mem` is computed with a logarithm. A change of these changes
 * the bytes of every archive.
 */
const OPTIONS = { level: 6, mem: 4 } as const
/** For small input, whose tables would take longer to clear than to use. */
const SMALL_OPTIONS = { level: 6, mem: 0 } as const
const MAX_SMALL_BYTES = 16 * 1024
const MAX_STEP_BYTES = 256 * 1024

/**
 * Compresses to the same bytes everywhere: in JavaScript, because the output of zlib depends on its
 * version and on the processor.
 */
export async function deflate(bytes: Uint8Array): Promise<Uint8Array> {
  const { Deflate, deflateSync } = await loadFflate()
  if (bytes.length <= MAX_SMALL_BYTES) return deflateSync(bytes, SMALL_OPTIONS)
  if (bytes.length <= MAX_STEP_BYTES) return deflateSync(bytes, OPTIONS)
  const pieces: Uint8Array[] = []
  const stream = new Deflate(OPTIONS, (piece) => void pieces.push(piece))
  const yieldIfDue = startWorkSlices()
  for (let at = 0; at < bytes.length; at += MAX_STEP_BYTES) {
    const end = at + MAX_STEP_BYTES
    stream.push(bytes.subarray(at, end), end >= bytes.length)
    await yieldIfDue()
  }
  return Buffer.concat(pieces)
}
