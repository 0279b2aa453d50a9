import { promisify } from 'node:util'
import { inflateRaw, inflateRawSync, type InputType, type ZlibOptions } from 'node:zlib'

/** The result of zlib with the option `info`, which its types do not describe. */
interface InflateInfo {
  buffer: Buffer
  engine: { bytesWritten: number }
}

const inflateAsync = promisify(inflateRaw) as unknown as (
  input: InputType,
  options: ZlibOptions,
) => Promise<InflateInfo>

/** A worker thread takes longer to unpack so little. */
const MAX_SYNC_BYTES = 64 * 1024

/** Unpacked bytes, and how many bytes of the input they took. */
interface Inflated {
  bytes: Buffer
  consumed: number
}

/** The reason for which data cannot be inflated. */
export type InflateProblem = 'too-large' | 'damaged'

/** Inflates a raw stream of at most `maxBytes` unpacked bytes; input after its end is not read. */
export async function inflate(
  input: Uint8Array,
  maxBytes: number,
): Promise<Inflated | InflateProblem> {
  const options = { maxOutputLength: Math.max(1, maxBytes), info: true }
  try {
    const { buffer, engine } =
      Math.max(input.length, maxBytes) <= MAX_SYNC_BYTES
        ? (inflateRawSync(input, options) as unknown as InflateInfo)
        : await inflateAsync(input, options)
    if (buffer.length > maxBytes) return 'too-large'
    return { bytes: buffer, consumed: engine.bytesWritten }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ERR_BUFFER_TOO_LARGE') return 'too-large'
    if (code?.startsWith('Z_') === true) return 'damaged'
    throw error
  }
}
