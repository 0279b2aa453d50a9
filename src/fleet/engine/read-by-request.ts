import { nameStream } from './assets.ts'
import type { EngineStream, ListOptions, StoredMessage } from './engine.ts'
import type { EngineClient, EngineConnection } from './connection/load-client.ts'
import type { MessageReads, StreamNames } from './message-reads.ts'
import { watchBySubscription } from './watch-by-subscription.ts'

interface FoundMessage {
  subject: string
  data: Uint8Array
  seq: number
  time: Date
}

/** A request that the engine lost at its restart is repeated after this time. */
const REQUEST_MS = 2000

/** The requests that need no consumer. */
interface StreamRequests {
  getMessage(name: string, query: { seq: number }): Promise<FoundMessage | null>
  info(name: string): Promise<{ state: { last_seq: number } }>
}

export interface RequestReadsOptions extends StreamNames {
  onReturn: (handle: () => void) => () => void
}

/** Reads each message by a request of its own, and subscribes to the subjects that it watches. */
export class RequestReads implements MessageReads {
  #connection: EngineConnection
  #options: RequestReadsOptions
  #managing: Promise<{ streams: StreamRequests }>

  constructor(client: EngineClient, connection: EngineConnection, options: RequestReadsOptions) {
    this.#connection = connection
    this.#options = options
    this.#managing = client.jetstreamManager(connection, { timeout: REQUEST_MS, checkAPI: false })
  }

  async *list(
    stream: EngineStream,
    pattern: string,
    { afterSeq = 0, beforeSeq = Infinity }: ListOptions,
  ): AsyncGenerator<StoredMessage> {
    const { streams } = await this.#managing
    const { state } = await streams.info(nameStream(this.#options.tenant, stream))
    const end = Math.min(beforeSeq, state.last_seq + 1)
    yield* this.#listUntil(stream, pattern, { afterSeq, beforeSeq: end })
  }

  async watch(stream: EngineStream, pattern: string, handle: (message: StoredMessage) => void) {
    const watched = {
      subscribe: async (notify: (subject: string, body: Uint8Array) => void) =>
        await this.#subscribe(pattern, notify),
      list: (afterSeq: number) => this.#listUntil(stream, pattern, { afterSeq }),
      onReturn: this.#options.onReturn,
    }
    return await watchBySubscription(watched, handle)
  }

  #listUntil(stream: EngineStream, pattern: string, options: ListOptions) {
    const readNext = async (seq: number) => await this.#readNext(stream, pattern, seq)
    return listByRequest(readNext, options)
  }

  async #readNext(
    stream: EngineStream,
    pattern: string,
    seq: number,
  ): Promise<StoredMessage | undefined> {
    const { tenant, prefix } = this.#options
    const { streams } = await this.#managing
    const query = { seq, next_by_subj: prefix + pattern }
    const found = await streams.getMessage(nameStream(tenant, stream), query)
    if (!found) return undefined
    return {
      subject: found.subject.slice(prefix.length),
      body: found.data,
      seq: found.seq,
      storedAt: found.time.getTime(),
    }
  }

  /** Throws if the permissions of the node do not allow it. */
  async #subscribe(pattern: string, notify: (subject: string, body: Uint8Array) => void) {
    const { prefix } = this.#options
    let refusal: Error | undefined
    const subscription = this.#connection.subscribe(prefix + pattern, {
      callback: (error, message) => {
        if (error) refusal = error
        else notify(message.subject.slice(prefix.length), message.data)
      },
    })
    await this.#connection.flush()
    if (refusal) throw refusal
    return () => subscription.unsubscribe()
  }
}

/** Maximum of requests at once. */
const MAX_WINDOW = 32

/** The first message that matches, at or after a position; undefined if there is none. */
type NextReader = (seq: number) => Promise<StoredMessage | undefined>

/**
 * Yields the messages after a position and before another one, oldest first. Asks for several positions at
 * once, as many as are useful: those between two messages that match have the same answer.
 */
async function* listByRequest(
  readNext: NextReader,
  { afterSeq = 0, beforeSeq = Infinity }: ListOptions,
): AsyncGenerator<StoredMessage> {
  let from = afterSeq + 1
  for (let size = 1; from < beforeSeq;) {
    const requests = Array.from({ length: size }, async (_, at) => await readNext(from + at))
    const answers = await Promise.all(requests)
    const found = sortDistinct(answers.filter((each) => each !== undefined))
    for (const message of found) {
      if (message.seq >= beforeSeq) return
      yield message
    }
    if (answers.includes(undefined)) return
    from = (found.at(-1)?.seq ?? from) + 1
    size = Math.min(MAX_WINDOW, found.length * 2)
  }
}

function sortDistinct(messages: readonly StoredMessage[]): StoredMessage[] {
  const bySeq = new Map(messages.map((message) => [message.seq, message]))
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq)
}
