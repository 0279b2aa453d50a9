import { nameStream, READ_DIRECTLY } from './assets.ts'
import type { ListOptions, StoredMessage, EngineStream, StreamSize } from './engine.ts'
import type { EngineClient, EngineConnection, EngineManager } from './connection/load-client.ts'
import type { MessageReads, ReadsBy } from './message-reads.ts'
import { ConsumerReads } from './read-by-consumer.ts'
import { RequestReads, type RequestReadsOptions } from './read-by-request.ts'

interface Headers {
  get(name: string): string
}

/** Reads and manages the streams of one tenant. */
export interface StreamReader extends MessageReads {
  last(stream: EngineStream, subject: string): Promise<StoredMessage | undefined>
  lastWithNonce(
    stream: EngineStream,
    subject: string,
    readNonce: (header: Headers | undefined) => string,
  ): Promise<(StoredMessage & { nonce: string }) | undefined>
  remove(stream: EngineStream, pattern: string): Promise<number>
  subjects(stream: EngineStream, pattern: string): Promise<string[]>
  measure(stream: EngineStream): Promise<StreamSize>
}

/** No message has the subject, or none at this position. */
const NO_MESSAGE = 10_037
const STREAM_NOT_FOUND = 10_059

/** True if the error of the engine says that a stream does not exist. */
export function isStreamMissing(
  { JetStreamApiError }: Pick<EngineClient, 'JetStreamApiError'>,
  error: unknown,
): boolean {
  return error instanceof JetStreamApiError && error.code === STREAM_NOT_FOUND
}

/** API errors of a cluster whose servers elect a leader, or do not know each other yet. */
const NOT_READY = [10_005, 10_008, 10_009]

/** True if the engine may accept the same request a moment later. */
export function isNotReady(
  { JetStreamApiError }: Pick<EngineClient, 'JetStreamApiError'>,
  error: unknown,
): boolean {
  return error instanceof JetStreamApiError && NOT_READY.includes(error.code)
}

export interface StreamReaderOptions extends RequestReadsOptions {
  reads: ReadsBy
}

export function openStreamReader(
  client: EngineClient,
  connection: EngineConnection,
  options: StreamReaderOptions,
): StreamReader {
  return new NatsStreamReader(client, connection, options)
}

class NatsStreamReader implements StreamReader {
  #client: EngineClient
  #tenant: string
  #prefix: string
  #managing: Promise<EngineManager>
  #reads: MessageReads
  /** A direct read sends the bytes of a message to any subject, as a consumer does. */
  #canReadDirectly: boolean

  constructor(client: EngineClient, connection: EngineConnection, options: StreamReaderOptions) {
    this.#client = client
    this.#tenant = options.tenant
    this.#prefix = options.prefix
    this.#managing = client.jetstreamManager(connection, { timeout: 5000, checkAPI: false })
    this.#canReadDirectly = options.reads === 'consumers'
    this.#reads =
      options.reads === 'consumers'
        ? new ConsumerReads(client, connection, options)
        : new RequestReads(client, connection, options)
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

  list(stream: EngineStream, pattern: string, options: ListOptions) {
    return this.#reads.list(stream, pattern, options)
  }

  async watch(stream: EngineStream, pattern: string, handle: (message: StoredMessage) => void) {
    return await this.#reads.watch(stream, pattern, handle)
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
        (this.#canReadDirectly && READ_DIRECTLY.has(stream)
          ? await direct.getMessage(name, query)
          : undefined) ?? (await streams.getMessage(name, query))
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
}
