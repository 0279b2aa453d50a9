import { nameStream, READ_DIRECTLY } from './assets.ts'
import type { ListOptions, StoredMessage, EngineStream, StreamSize } from './engine.ts'
import type { EngineClient } from './load-client.ts'
import { takeInTime } from './take-in-time.ts'

export type EngineConnection = Awaited<ReturnType<EngineClient['connect']>>
type Manager = Awaited<ReturnType<EngineClient['jetstreamManager']>>
interface Headers {
  get(name: string): string
}

/** Reads and manages the streams of one tenant. */
export interface StreamReader {
  last(stream: EngineStream, subject: string): Promise<StoredMessage | undefined>
  lastWithNonce(
    stream: EngineStream,
    subject: string,
    readNonce: (header: Headers | undefined) => string,
  ): Promise<(StoredMessage & { nonce: string }) | undefined>
  list(stream: EngineStream, pattern: string, options: ListOptions): AsyncGenerator<StoredMessage>
  watch(
    stream: EngineStream,
    pattern: string,
    handle: (message: StoredMessage) => void,
  ): Promise<() => void>
  remove(stream: EngineStream, pattern: string): Promise<number>
  subjects(stream: EngineStream, pattern: string): Promise<string[]>
  measure(stream: EngineStream): Promise<StreamSize>
}

/** No message has the subject, or none at this position. */
const NO_MESSAGE = 10_037
const STREAM_NOT_FOUND = 10_059
const PAGE = 256
const RECHECK_MS = 1000
/** Silence after which a list asks whether it has all messages. */
const IDLE_MS = 100

/** True if the error of the engine says that a stream does not exist. */
export function isStreamMissing(
  { JetStreamApiError }: Pick<EngineClient, 'JetStreamApiError'>,
  error: unknown,
): boolean {
  return error instanceof JetStreamApiError && error.code === STREAM_NOT_FOUND
}

interface Received {
  subject: string
  data: Uint8Array
  seq: number
  info: { timestampNanos: number; pending: number }
}

export function openStreamReader(
  client: EngineClient,
  connection: EngineConnection,
  names: { tenant: string; prefix: string },
): StreamReader {
  return new NatsStreamReader(client, connection, names)
}

class NatsStreamReader implements StreamReader {
  #client: EngineClient
  #tenant: string
  #prefix: string
  #js: ReturnType<EngineClient['jetstream']>
  #managing: Promise<Manager>

  constructor(
    client: EngineClient,
    connection: EngineConnection,
    { tenant, prefix }: { tenant: string; prefix: string },
  ) {
    this.#client = client
    this.#tenant = tenant
    this.#prefix = prefix
    this.#js = client.jetstream(connection, { timeout: 5000 })
    this.#managing = this.#js.jetstreamManager(false)
  }

  async last(stream: EngineStream, subject: string) {
    return (await this.#readLast(stream, subject))?.stored
  }

  async lastWithNonce(
    stream: EngineStream,
    subject: string,
    readNonce: (header: Headers | undefined) => string,
  ) {
    const found = await this.#readLast(stream, subject)
    return found && { ...found.stored, nonce: readNonce(found.header) }
  }

  async *list(
    stream: EngineStream,
    pattern: string,
    { afterSeq, beforeSeq }: ListOptions,
  ): AsyncGenerator<StoredMessage> {
    const consumer = await this.#openConsumer(stream, pattern, afterSeq)
    let stop = () => {}
    let seq = 0
    try {
      if ((await consumer.info(true)).num_pending === 0) return
      const messages = await consumer.consume({ max_messages: PAGE })
      stop = () => messages.stop()
      const iterator = messages[Symbol.asyncIterator]()
      let next = iterator.next()
      for (;;) {
        const taken = await takeInTime(next, IDLE_MS)
        if (!taken) {
          const { num_pending: pending, delivered } = await consumer.info()
          if (pending === 0 && seq >= delivered.stream_seq) return
          continue
        }
        if (taken.done || taken.value.seq >= (beforeSeq ?? Infinity)) return
        ;({ seq } = taken.value)
        yield this.#toStored(taken.value)
        // A message that was stored while the consumer opened may be counted twice.
        if (taken.value.info.pending === 0) return
        next = iterator.next()
      }
    } finally {
      stop()
      // The engine removes a consumer that is not used by itself, only later.
      consumer.delete().catch(() => {})
    }
  }

  async watch(stream: EngineStream, pattern: string, handle: (message: StoredMessage) => void) {
    const consumer = await this.#openConsumer(stream, pattern)
    let setCurrent = () => {}
    const current = new Promise<void>((done) => (setCurrent = done))
    const checkPending = async () => {
      if ((await consumer.info()).num_pending === 0) setCurrent()
    }
    await checkPending()
    const messages = await consumer.consume({
      callback: (message: Received) => {
        handle(this.#toStored(message))
        if (message.info.pending === 0) setCurrent()
      },
    })
    // The last message may be removed before it is delivered.
    const timer = setInterval(() => void checkPending().catch(() => {}), RECHECK_MS)
    await current
    clearInterval(timer)
    return () => {
      messages.stop()
      consumer.delete().catch(() => {})
    }
  }

  async remove(stream: EngineStream, pattern: string): Promise<number> {
    const { streams } = await this.#managing
    const filter = { filter: this.#prefix + pattern }
    return (await streams.purge(nameStream(this.#tenant, stream), filter)).purged
  }

  async subjects(stream: EngineStream, pattern: string): Promise<string[]> {
    const { streams } = await this.#managing
    const options = { subjects_filter: this.#prefix + pattern }
    const { state } = await streams.info(nameStream(this.#tenant, stream), options)
    return Object.keys(state.subjects ?? {}).map((each) => each.slice(this.#prefix.length))
  }

  async measure(stream: EngineStream): Promise<StreamSize> {
    const { streams } = await this.#managing
    const { state, config } = await streams.info(nameStream(this.#tenant, stream))
    const maxMessages = config.max_msgs > 0 ? config.max_msgs : Infinity
    const { first_seq: firstSeq, last_seq: lastSeq, messages, bytes } = state
    return { firstSeq, lastSeq, messages, bytes, maxMessages }
  }

  async #readLast(stream: EngineStream, subject: string) {
    const { streams, direct } = await this.#managing
    const name = nameStream(this.#tenant, stream)
    const query = { last_by_subj: this.#prefix + subject }
    try {
      // A direct read has bytes, and not JSON with base64.
      const found =
        (READ_DIRECTLY.has(stream) ? await direct.getMessage(name, query) : undefined) ??
        (await streams.getMessage(name, query))
      if (!found) return undefined
      const { data, seq, time, header } = found
      const stored = {
        subject: found.subject.slice(this.#prefix.length),
        body: data,
        seq,
        storedAt: time.getTime(),
      }
      return { stored, header }
    } catch (error) {
      const { JetStreamApiError } = this.#client
      if (error instanceof JetStreamApiError && error.code === NO_MESSAGE) return undefined
      throw error
    }
  }

  async #openConsumer(stream: EngineStream, pattern: string, afterSeq = 0) {
    return await this.#js.consumers.get(nameStream(this.#tenant, stream), {
      filter_subjects: this.#prefix + pattern,
      ...(afterSeq > 0 && {
        deliver_policy: this.#client.DeliverPolicy.StartSequence,
        opt_start_seq: afterSeq + 1,
      }),
    })
  }

  #toStored({ subject, data, seq, info }: Received): StoredMessage {
    return {
      subject: subject.slice(this.#prefix.length),
      body: data,
      seq,
      storedAt: Math.floor(info.timestampNanos / 1e6),
    }
  }
}
