import type { Readable } from 'node:stream'
import { forEachChunk } from '../../../util/bytes/for-each-chunk.ts'
import { toPrintable } from '../../../util/printable.ts'
import type { LogSource } from '../history/log-pieces.ts'
import type { OutputMeter } from './output-meter.ts'
import type { RedactingStream, Redactor } from '../redaction/redact.ts'
import type { LogLevel, LogPiece } from '../run-call.ts'

const PREVIEW_BYTES = 2048

/** Listeners for the output of a run. */
interface LogListeners {
  /** Text, once its characters are complete. */
  onPiece: ((piece: LogPiece) => void) | undefined
  /** The raw bytes, and their stream. */
  onBytes: ((source: LogSource, bytes: Buffer) => void) | undefined
}

/** Logs of a run: redacted and passed on as they arrive; head and tail are kept for the preview. */
export class RunLogs {
  #redactor: Redactor
  #listeners: LogListeners
  #head = Buffer.alloc(0)
  #tail = Buffer.alloc(0)
  #size = 0
  /** The unfinished log line: a secret may be split between its pieces. */
  #openLine: RedactingStream | undefined

  constructor(redactor: Redactor, listeners: LogListeners) {
    this.#redactor = redactor
    this.#listeners = listeners
  }

  /** Adds a notice of the runtime about the run. */
  addNote(text: string): void {
    // The notice may quote input of the code, such as a file name.
    const line = `[skills] ${toPrintable(this.#redactor.text(text))}\n`
    this.#append('runtime', Buffer.from(line))
    this.#listeners.onPiece?.({ stream: 'runtime', text: line })
  }

  /** Adds a piece of `runtime.log`; the last piece ends the line. */
  addLine(level: LogLevel, text: string, isLast: boolean): void {
    const start = this.#openLine === undefined ? `[${level}] ` : ''
    this.#openLine ??= this.#redactor.stream()
    const parts = [Buffer.from(start), this.#openLine.push(Buffer.from(text))]
    if (isLast) {
      parts.push(this.#openLine.end(), Buffer.from('\n'))
      this.#openLine = undefined
    }
    const bytes = Buffer.concat(parts)
    if (bytes.length === 0) return
    this.#append('stderr', bytes)
    this.#listeners.onPiece?.({ stream: 'log', level, text: bytes.toString('utf8') })
  }

  /** Reads one of the streams to its end. */
  async read(
    stream: 'stdout' | 'stderr',
    source: Readable,
    meter: Pick<OutputMeter, 'consume'>,
  ): Promise<void> {
    const redacting: RedactingStream = this.#redactor.stream()
    const decoder = new TextDecoder()
    const take = (bytes: Buffer, last = false) => {
      this.#append(stream, bytes)
      const text = decoder.decode(bytes, { stream: !last })
      if (text !== '') this.#listeners.onPiece?.({ stream, text })
    }
    await forEachChunk(source, (chunk) => {
      const size = meter.consume(chunk.length)
      if (size > 0) take(redacting.push(chunk.subarray(0, size)))
    })
    take(redacting.end(), true)
  }

  /**
   * At most 2,048 bytes of UTF-8: the beginning, the end, and between them how to read the rest.
   */
  preview(runId: string): string {
    const head = this.#head.toString('utf8')
    if (this.#size <= PREVIEW_BYTES && Buffer.byteLength(head) <= PREVIEW_BYTES) return head
    // Bytes that are not UTF-8 grow when they are decoded, so a second, shorter cut is tried.
    for (const half of [960, 300]) {
      const marker = describeRest(this.#size - 2 * half, runId)
      const cut =
        decodeWholeCharacters(this.#head.subarray(0, half)) +
        marker +
        decodeWholeCharacters(this.#tail.subarray(-half))
      if (Buffer.byteLength(cut) <= PREVIEW_BYTES) return cut
    }
    return describeRest(this.#size, runId)
  }

  #append(source: LogSource, bytes: Buffer): void {
    if (bytes.length > 0) this.#listeners.onBytes?.(source, bytes)
    this.#size += bytes.length
    if (this.#head.length < PREVIEW_BYTES) {
      const remaining = PREVIEW_BYTES - this.#head.length
      this.#head = Buffer.concat([this.#head, bytes.subarray(0, remaining)])
    }
    this.#tail = Buffer.concat([this.#tail, bytes.subarray(-PREVIEW_BYTES)]).subarray(
      -PREVIEW_BYTES,
    )
  }
}

function describeRest(bytes: number, runId: string): string {
  return `\n… ${bytes} bytes cut: read them with runs, action logs, run_id ${runId} …\n`
}

/** Decodes bytes without the partial characters at both ends. */
function decodeWholeCharacters(bytes: Buffer): string {
  let start = 0
  while (start < bytes.length && start < 4 && ((bytes[start] as number) & 0xc0) === 0x80) start++
  return new TextDecoder().decode(bytes.subarray(start), { stream: true })
}
