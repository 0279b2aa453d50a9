/** Messages of the zygote, one JSON document per line. */
export interface ZygoteMessage {
  listening?: true
  made?: number
  pid?: number
  /** Fork whose main process exited; the rest of its namespace is killed then. */
  ended?: number
  status?: number
  cpu_ms?: number
  dead?: number
  why?: string
}

/** The zygote never sends longer lines. */
const MAX_LINE_BYTES = 64 * 1024
const LINE_END = 10
const NUMBERS = ['made', 'pid', 'ended', 'status', 'cpu_ms', 'dead'] as const

/** Splits the output of a zygote into messages. */
export class ZygoteMessageReader {
  #rest: Buffer = Buffer.alloc(0)

  /**
   * Passes on the messages that this chunk completes. Throws at bytes that no zygote sends: a run
   * that took over its zygote must not end this process.
   */
  read(chunk: Buffer, receive: (message: ZygoteMessage) => void): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    let start = 0
    for (let end = bytes.indexOf(LINE_END); end !== -1; end = bytes.indexOf(LINE_END, start)) {
      receive(parseZygoteMessage(bytes.toString('utf8', start, end)))
      start = end + 1
    }
    this.#rest = bytes.subarray(start)
    if (this.#rest.length > MAX_LINE_BYTES) throw new Error('a message is too long')
  }
}

/** Returns the known members only: what is reported about a run comes from these. */
function parseZygoteMessage(line: string): ZygoteMessage {
  const value = JSON.parse(line) as unknown
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('a message is not an object')
  const all = value as Record<string, unknown>
  const message: ZygoteMessage = {}
  if (all['listening'] === true) message.listening = true
  if (typeof all['why'] === 'string') message.why = all['why']
  for (const name of NUMBERS) {
    const number = all[name]
    if (number === undefined) continue
    if (typeof number !== 'number' || !(number >= 0 && number <= Number.MAX_SAFE_INTEGER))
      throw new Error(`"${name}" in a message is not a number`)
    message[name] = number
  }
  return message
}
