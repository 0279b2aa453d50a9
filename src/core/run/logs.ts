import type { LogPiece } from './result.ts'
import type { RedactingStream, Redactor } from './redact.ts'

const PREVIEW_BYTES = 2048
const MARKER = '\n… (cut) …\n'

/** What a run says: handed on redacted as it comes, kept as head and tail. */
export class Logs {
  #redactor: Redactor
  #listener: ((piece: LogPiece) => void) | undefined
  #head = Buffer.alloc(0)
  #tail = Buffer.alloc(0)
  #size = 0

  constructor(redactor: Redactor, listener: ((piece: LogPiece) => void) | undefined) {
    this.#redactor = redactor
    this.#listener = listener
  }

  /** Something that the runtime has to say about the run. */
  note(text: string): void {
    this.#keep('runtime', Buffer.from(`[skills] ${text}\n`), (bytes) => bytes.toString('utf8'))
  }

  /** Reads one of the run's streams to its end. */
  async read(stream: 'stdout' | 'stderr', source: AsyncIterable<Buffer>): Promise<void> {
    const redacting: RedactingStream = this.#redactor.stream()
    const decoder = new TextDecoder()
    const decode = (bytes: Buffer) => decoder.decode(bytes, { stream: true })
    for await (const chunk of source) this.#keep(stream, redacting.push(chunk), decode)
    this.#keep(stream, redacting.end(), decode)
    this.#keep(stream, Buffer.alloc(0), () => decoder.decode())
  }

  /** At most 2,048 bytes of UTF-8: the beginning and the end. */
  preview(): string {
    const whole = this.#head.toString('utf8')
    if (this.#size <= PREVIEW_BYTES && Buffer.byteLength(whole) <= PREVIEW_BYTES) return whole
    // Bytes that are no UTF-8 grow when they are shown, hence the second, shorter try.
    for (const half of [1000, 300]) {
      const cut =
        wholeCharacters(this.#head.subarray(0, half)) +
        MARKER +
        wholeCharacters(this.#tail.subarray(-half))
      if (Buffer.byteLength(cut) <= PREVIEW_BYTES) return cut
    }
    return MARKER
  }

  #keep(stream: LogPiece['stream'], bytes: Buffer, decode: (bytes: Buffer) => string): void {
    this.#size += bytes.length
    if (this.#head.length < PREVIEW_BYTES) {
      const room = PREVIEW_BYTES - this.#head.length
      this.#head = Buffer.concat([this.#head, bytes.subarray(0, room)])
    }
    this.#tail = Buffer.concat([this.#tail, bytes.subarray(-PREVIEW_BYTES)]).subarray(
      -PREVIEW_BYTES,
    )
    const text = decode(bytes)
    if (text !== '') this.#listener?.({ stream, text })
  }
}

/** Text of bytes without the cut characters at its edges. */
function wholeCharacters(bytes: Buffer): string {
  let start = 0
  while (start < bytes.length && start < 4 && ((bytes[start] as number) & 0xc0) === 0x80) start++
  return new TextDecoder().decode(bytes.subarray(start), { stream: true })
}
