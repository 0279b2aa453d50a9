import { dropPartialCharacter } from '../files/mime-type.ts'

const MARKER = '\n...[output truncated]...\n'

/** The beginning and the end of a stream, each limited in bytes. */
export class ByteHeadAndTail {
  #limit: number
  #head: Buffer[] = []
  #headBytes = 0
  #tail = Buffer.alloc(0)
  bytes = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  add(chunk: Buffer): void {
    this.bytes += chunk.length
    const taken = chunk.subarray(0, Math.max(0, this.#limit - this.#headBytes))
    if (taken.length > 0) this.#head.push(taken)
    this.#headBytes += taken.length
    const rest = chunk.subarray(taken.length)
    if (rest.length > 0) this.#tail = Buffer.concat([this.#tail, rest]).subarray(-this.#limit)
  }

  get start(): Buffer {
    return Buffer.concat(this.#head)
  }

  /** The last bytes in the buffers. */
  get end(): Buffer {
    return Buffer.concat([this.start, this.#tail])
  }
}

/** Joins two streams within a budget; the middle is cut out. */
export function joinHeadAndTail(
  first: ByteHeadAndTail,
  second: ByteHeadAndTail,
  budget: number,
): { text: string; isCut: boolean; totalBytes: number } {
  const totalBytes = first.bytes + second.bytes
  if (totalBytes <= budget) {
    const text = Buffer.concat([first.start, second.start]).toString('utf8')
    return { text, isCut: false, totalBytes }
  }
  const half = Math.max(1, Math.floor((budget - MARKER.length) / 2))
  const head = Buffer.concat([first.start, second.start]).subarray(0, half)
  const tail = Buffer.concat([first.end, second.end]).subarray(-half)
  const text = [dropPartialCharacter(head), Buffer.from(MARKER), skipPartialCharacter(tail)]
  // Replacement characters of invalid bytes would exceed the budget.
  const shown = Buffer.concat(text).toString('utf8').replaceAll('\ufffd', '')
  return { text: shown, isCut: true, totalBytes }
}

/** Drops a partial character at the beginning. */
function skipPartialCharacter(bytes: Buffer): Buffer {
  let start = 0
  while (start < 4 && start < bytes.length && ((bytes[start] as number) & 0xc0) === 0x80) start++
  return bytes.subarray(start)
}
