import { Transform, type Readable, type Writable } from 'node:stream'
import { TextSearch, type Replacement } from './text-search.ts'

/** Called for each text that is found. It may throw: the text is not passed on then. */
type FoundListener = (replacement: Replacement) => void

/** Bytes that wait for a slow reader of an answer. */
const MAX_WAITING = 1024 * 1024

/** Replaces texts in bytes that arrive in pieces. Only a possible beginning of one is held back. */
export class Replacer {
  readonly #search: TextSearch
  readonly #onFound: FoundListener | undefined
  #held = Buffer.alloc(0)

  constructor(search: TextSearch, onFound?: FoundListener) {
    this.#search = search
    this.#onFound = onFound
  }

  push(chunk: Buffer): Buffer[] {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    const parts: Buffer[] = []
    let at = 0
    for (let found = this.#search.find(bytes, at); found; found = this.#search.find(bytes, at)) {
      const { start, replacement } = found
      this.#onFound?.(replacement)
      parts.push(bytes.subarray(at, start), replacement.to)
      at = start + replacement.from.length
    }
    const rest = bytes.subarray(at)
    const end = rest.length - this.#search.measurePartial(rest)
    if (end > 0) parts.push(rest.subarray(0, end))
    this.#held = Buffer.from(rest.subarray(end))
    return parts
  }

  /** Returns what was held back. */
  end(): Buffer {
    return this.#held
  }
}

function joinParts(parts: readonly Buffer[]): Buffer {
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
}

/** Replaces all texts in whole bytes. */
export function replaceBytes(bytes: Buffer, search: TextSearch, onFound?: FoundListener): Buffer {
  const replacer = new Replacer(search, onFound)
  return Buffer.concat([...replacer.push(bytes), replacer.end()])
}

/** Replaces all texts in a stream. What `onFound` throws ends it. */
export function createReplaceStream(search: TextSearch, onFound?: FoundListener): Transform {
  const replacer = new Replacer(search, onFound)
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        // One piece for each that arrived, so that servers and clients get them as they were sent.
        const whole = joinParts(replacer.push(chunk))
        if (whole.length > 0) this.push(whole)
        done()
      } catch (error) {
        done(error as Error)
      }
    },
    flush(done) {
      done(null, replacer.end())
    },
  })
}

/**
 * Passes a stream on with its texts replaced. TLS decrypts 16 KiB at a time: what arrives in one turn
 * of the event loop is written at once, which takes less time, and so is the head of an answer.
 *
 * @param connection Takes what is written to `sink`
 */
// eslint-disable-next-line max-params -- a source, a sink with its connection, and what to find
export function relayReplaced(
  source: Readable,
  sink: Writable,
  search: TextSearch,
  connection = sink,
): void {
  const replacer = new Replacer(search)
  let waiting: Buffer[] = []
  let size = 0
  let isWriting = false
  let timer: NodeJS.Immediate | undefined
  const flush = () => {
    timer = undefined
    connection.uncork()
    if (isWriting || size === 0) return
    const bytes = joinParts(replacer.push(joinParts(waiting)))
    waiting = []
    size = 0
    source.resume()
    if (bytes.length === 0) return
    isWriting = true
    sink.write(bytes, () => {
      isWriting = false
      flush()
    })
  }
  connection.cork()
  timer = setImmediate(flush)
  source.on('data', (chunk: Buffer) => {
    waiting.push(chunk)
    size += chunk.length
    timer ??= setImmediate(flush)
    if (size >= MAX_WAITING) source.pause()
  })
  source.on('end', () => {
    clearImmediate(timer)
    isWriting = false
    connection.cork()
    flush()
    sink.end(replacer.end())
  })
}
