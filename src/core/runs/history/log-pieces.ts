import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** Where a piece of logs came from; what came by `runtime.log` counts as printed to stderr. */
const LOG_SOURCES = ['stdout', 'stderr', 'runtime'] as const
export type LogSource = (typeof LOG_SOURCES)[number]

/** What the logs hold of a stream, so that it can be read alone. */
interface LogStream {
  bytes: number
  lineEnds: number
}

/** Which bytes of mixed logs belong to which stream. */
export interface LogMap {
  stdout: LogStream
  stderr: LogStream
  /** Pieces in their order, as `decodePieces` reads them. */
  pieces: string
}

const LINE_END = 10
/** No map of what a run may print is longer. */
const MAX_MAP_BYTES = 256 * 1024 ** 2

/** Remembers where the pieces of logs came from while they are written. */
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
    // By index: an iterator over a flood of output holds every other run up.
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

  /** A length and a source in as few bytes as it takes, seven bits each. */
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

/** The pieces of a map, in the order in which they lie in the logs. */
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
