import { loadLazily } from '../../../util/load-lazily.ts'
import { startWorkSlices } from '../../../util/slices/work-slices.ts'

const loadFflate = loadLazily(async () => await import('fflate'))

/** A change of these changes the bytes of every archive. The default of `mem` is a logarithm. */
const OPTIONS = { level: 6, mem: 4 } as const
const STEP_BYTES = 256 * 1024

/**
 * Compresses to the same bytes everywhere: in JavaScript, because the output of zlib depends on its
 * version and on the processor.
 */
export async function deflate(bytes: Uint8Array): Promise<Uint8Array> {
  const { Deflate } = await loadFflate()
  const pieces: Uint8Array[] = []
  const stream = new Deflate(OPTIONS, (piece) => void pieces.push(piece))
  const yieldIfDue = startWorkSlices()
  let at = 0
  for (; at + STEP_BYTES < bytes.length; at += STEP_BYTES) {
    stream.push(bytes.subarray(at, at + STEP_BYTES))
    await yieldIfDue()
  }
  stream.push(bytes.subarray(at), true)
  return Buffer.concat(pieces)
}
