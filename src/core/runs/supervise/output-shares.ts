import { LINE_END } from '../../outputs/query/line-ends.ts'
import { STREAM_NAMES, type StreamName } from '../../outputs/store/output-store.ts'
import { CopyingByteQueue } from './copying-byte-queue.ts'

/** Bytes at the ends of both streams that are retained in memory until the program ends. */
const MAX_END_BYTES = 2 * 1024 ** 2
/** Room for the two lines that report omitted bytes. */
const NOTE_BYTES = 256
const MIN_LIMIT_WITH_NOTES = 4096
/** The end of a stream begins with a whole line if one begins within these bytes. */
const MAX_SKIPPED_BYTES = 1000

/** A stream's part of the limit. */
interface StreamShare {
  /** Bytes passed on as they arrived. */
  passed: number
  /** Bytes that arrived after these. The oldest are dropped if the limit is exceeded. */
  end: CopyingByteQueue
  omitted: number
  endsLine: boolean
}

/**
 * Divides the output limit of a program between its streams. Output within the limit is complete.
 * Otherwise the beginning and the end of each stream remain, and the end of a stream has at least
 * half of the bytes that are retained for ends.
 */
export class OutputShares {
  readonly #limit: number
  readonly #headLimit: number
  readonly #hasNotes: boolean
  /** Bytes of the beginning that stdout cannot take from stderr. */
  readonly #errorHead: number
  readonly #streams: Readonly<Record<StreamName, StreamShare>> = {
    stdout: createShare(),
    stderr: createShare(),
  }

  constructor(limit: number) {
    this.#hasNotes = limit >= MIN_LIMIT_WITH_NOTES
    this.#limit = this.#hasNotes ? limit - NOTE_BYTES : limit
    const ends = Math.min(MAX_END_BYTES, Math.floor(this.#limit / 2))
    this.#headLimit = this.#limit - ends
    this.#errorHead = Math.floor(ends / 4)
  }

  /** Dropped bytes of each stream. */
  get omitted(): Readonly<Record<StreamName, number>> {
    const { stdout, stderr } = this.#streams
    return { stdout: stdout.omitted, stderr: stderr.omitted }
  }

  /** Returns the bytes that are passed on now. */
  push(name: StreamName, chunk: Buffer): Buffer {
    const share = this.#streams[name]
    const size = share.end.size > 0 ? 0 : Math.min(chunk.length, this.#measureHeadRoom(name))
    const head = chunk.subarray(0, size)
    share.passed += size
    if (size > 0) share.endsLine = head[size - 1] === LINE_END
    if (size < chunk.length) share.end.push(chunk.subarray(size))
    // Passed bytes may take the place of bytes that the other stream retains.
    this.#dropSurplus()
    return head
  }

  /** Returns the rest of a stream. Call when both streams have ended. */
  finish(name: StreamName): Buffer {
    const { end, omitted, endsLine, passed } = this.#streams[name]
    const rest = end.toBuffer()
    if (omitted === 0) return rest
    const skipped = findLineStart(rest)
    this.#streams[name].omitted += skipped
    if (!this.#hasNotes) return rest.subarray(skipped)
    const note = `[skills] ${omitted + skipped} bytes are omitted here: the limit is run.limits.output\n`
    const start = passed === 0 || endsLine ? '' : '\n'
    return Buffer.concat([Buffer.from(start + note), rest.subarray(skipped)])
  }

  #measureHeadRoom(name: StreamName): number {
    const { stdout, stderr } = this.#streams
    const reserved = name === 'stdout' ? Math.max(0, this.#errorHead - stderr.passed) : 0
    return Math.max(0, this.#headLimit - stdout.passed - stderr.passed - reserved)
  }

  /** Drops the oldest bytes of the longer end. */
  #dropSurplus(): void {
    const { stdout, stderr } = this.#streams
    const total = stdout.passed + stderr.passed + stdout.end.size + stderr.end.size
    let surplus = total - this.#limit
    while (surplus > 0) {
      const [longer, shorter] =
        stdout.end.size >= stderr.end.size ? [stdout, stderr] : [stderr, stdout]
      const difference = longer.end.size - shorter.end.size
      // If both have the same length, each loses half.
      const size = Math.min(surplus, difference > 0 ? difference : Math.ceil(surplus / 2))
      longer.end.drop(size)
      longer.omitted += size
      surplus -= size
    }
  }
}

/** Adds up what was dropped. */
export function sumOmitted(omitted: Readonly<Record<StreamName, number>>): number {
  return STREAM_NAMES.reduce((total, name) => total + omitted[name], 0)
}

function createShare(): StreamShare {
  return { passed: 0, end: new CopyingByteQueue(), omitted: 0, endsLine: true }
}

/** Offset of the first line, or else of the first character, that is complete. */
function findLineStart(bytes: Buffer): number {
  const end = bytes.subarray(0, MAX_SKIPPED_BYTES).indexOf(LINE_END)
  if (end !== -1 && end + 1 < bytes.length) return end + 1
  const first = bytes.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80)
  return Math.max(0, first)
}
