import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** Source of a piece of the logs. Lines of `runtime.log` count as stderr. */
const LOG_SOURCES = ['stdout', 'stderr', 'runtime'] as const
export type LogSource = (typeof LOG_SOURCES)[number]

/** Size of one stream in the logs, so that it can be read alone. */
interface LogStream {
  bytes: number
  lineEnds: number
}

/** Maps the bytes of mixed logs to their streams. */
export interface LogMap {
  stdout: LogStream
  stderr: LogStream
  /** Pieces in order, encoded; see `decodePieces`. */
  pieces: string
}

/** A killed run has no map of its log streams. */
export const EMPTY_LOG_MAP: LogMap = {
  stdout: { bytes: 0, lineEnds: 0 },
  stderr: { bytes: 0, lineEnds: 0 },
  pieces: '',
}

const LINE_END = 10
/** Upper bound of the inflated map. */
const MAX_MAP_BYTES = 256 * 1024 ** 2

/** Records the source of each piece while logs are written. */
export class LogMapper {
  #numbers: number[] = []
  #packed: Buffer[] = []
  #source: LogSource | undefined
  #length = 0
  #streams = { stdout: { bytes: 0, lineEnds: 0 }, stderr: { bytes: 0, lineEnds: 0 } }

  add(source: LogSource, bytes: Buffer): void {
    if (source !== this.#source) this.#closePiece(source)
    this.#length += bytes.length
    if (source === 'runtime') return
    const stream = this.#streams[source]
    stream.bytes += bytes.length
    // Loops by index, because an iterator over much output blocks other runs.
    for (let at = 0; at < bytes.length; at++) if (bytes[at] === LINE_END) stream.lineEnds += 1
  }

  end(): LogMap {
    this.#closePiece(undefined)
    this.#flushNumbers()
    const packed = Buffer.concat(this.#packed)
    // Most runs print nothing.
    if (packed.length === 0) return { ...this.#streams, pieces: '' }
    return { ...this.#streams, pieces: deflateRawSync(packed, { level: 1 }).toString('base64') }
  }

  /** Encodes length and source as a variable-length integer, seven bits in each byte. */
  #closePiece(source: LogSource | undefined): void {
    if (this.#source !== undefined) {
      let number = this.#length * LOG_SOURCES.length + LOG_SOURCES.indexOf(this.#source)
      for (; number >= 0x80; number = Math.floor(number / 0x80)) {
        this.#numbers.push((number % 0x80) | 0x80)
      }
      this.#numbers.push(number)
      if (this.#numbers.length > 4096) this.#flushNumbers()
    }
    this.#source = source
    this.#length = 0
  }

  #flushNumbers(): void {
    this.#packed.push(Buffer.from(this.#numbers))
    this.#numbers = []
  }
}

/** Decodes the pieces of a map, in their order in the logs. */
export function* decodePieces({ pieces }: Pick<LogMap, 'pieces'>): Generator<{
  source: LogSource
  length: number
}> {
  if (pieces === '') return
  const packed = inflateRawSync(Buffer.from(pieces, 'base64'), { maxOutputLength: MAX_MAP_BYTES })
  let number = 0
  let scale = 1
  for (const byte of packed) {
    number += (byte & 0x7f) * scale
    scale *= 0x80
    if (byte >= 0x80) continue
    const source = LOG_SOURCES[number % LOG_SOURCES.length] as LogSource
    yield { source, length: Math.floor(number / LOG_SOURCES.length) }
    number = 0
    scale = 1
  }
}
