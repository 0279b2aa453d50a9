import { nameStream } from './assets.ts'
import type { ListOptions, StoredMessage, StreamName, StreamSize } from './engine.ts'
import type { EngineClient } from './load-client.ts'

type Connection = Awaited<ReturnType<EngineClient['connect']>>
interface Headers {
  get(name: string): string
}

/** Reads and manages the streams of one tenant. */
export interface StreamReader {
  last(stream: StreamName, subject: string): Promise<StoredMessage | undefined>
  lastWithNonce(
    stream: StreamName,
    subject: string,
    readNonce: (header: Headers | undefined) => string,
  ): Promise<(StoredMessage & { nonce: string }) | undefined>
  list(stream: StreamName, pattern: string, options: ListOptions): AsyncIterable<StoredMessage>
  watch(
    stream: StreamName,
    pattern: string,
    handle: (message: StoredMessage) => void,
  ): Promise<() => void>
  remove(stream: StreamName, pattern: string): Promise<number>
  measure(stream: StreamName): Promise<StreamSize>
}

/** No message has the subject, or none at this position. */
const NO_MESSAGE = 10_037
const STREAM_NOT_FOUND = 10_059
const PAGE = 256

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
  connection: Connection,
  { tenant, prefix }: { tenant: string; prefix: string },
): StreamReader {
  const js = client.jetstream(connection, { timeout: 5000 })
  const managing = js.jetstreamManager(false)
  const lastStored = async (stream: StreamName, subject: string) => {
    const { streams } = await managing
    try {
      const query = { last_by_subj: prefix + subject }
      return (await streams.getMessage(nameStream(tenant, stream), query)) ?? undefined
    } catch (error) {
      if (error instanceof client.JetStreamApiError && error.code === NO_MESSAGE) return undefined
      throw error
    }
  }
  const toStored = ({ subject, data, seq, info }: Received): StoredMessage => ({
    subject: subject.slice(prefix.length),
    body: data,
    seq,
    storedAt: Math.floor(info.timestampNanos / 1e6),
  })
  const openConsumer = async (stream: StreamName, pattern: string, afterSeq = 0) =>
    await js.consumers.get(nameStream(tenant, stream), {
      filter_subjects: prefix + pattern,
      ...(afterSeq > 0 && {
        deliver_policy: client.DeliverPolicy.StartSequence,
        opt_start_seq: afterSeq + 1,
      }),
    })
  const read = async (stream: StreamName, subject: string) => {
    const found = await lastStored(stream, subject)
    if (!found) return undefined
    const { data, seq, time, header } = found
    return { stored: { subject, body: data, seq, storedAt: time.getTime() }, header }
  }
  return {
    last: async (stream, subject) => (await read(stream, subject))?.stored,
    async lastWithNonce(stream, subject, readNonce) {
      const found = await read(stream, subject)
      return found && { ...found.stored, nonce: readNonce(found.header) }
    },
    async *list(stream, pattern, { afterSeq, beforeSeq = Infinity }) {
      const consumer = await openConsumer(stream, pattern, afterSeq)
      try {
        if ((await consumer.info(true)).num_pending === 0) return
        const messages = await consumer.consume({ max_messages: PAGE })
        for await (const message of messages) {
          if (message.seq >= beforeSeq) break
          yield toStored(message)
          if (message.info.pending === 0) break
        }
        messages.stop()
      } finally {
        await consumer.delete().catch(() => {})
      }
    },
    async watch(stream, pattern, handle) {
      const consumer = await openConsumer(stream, pattern)
      let missing = (await consumer.info(true)).num_pending
      let setCurrent = () => {}
      const current = new Promise<void>((done) => (setCurrent = done))
      if (missing === 0) setCurrent()
      const messages = await consumer.consume({
        callback: (message: Received) => {
          handle(toStored(message))
          if (--missing <= 0) setCurrent()
        },
      })
      await current
      return () => {
        messages.stop()
        void consumer.delete().catch(() => {})
      }
    },
    async remove(stream, pattern) {
      const { streams } = await managing
      const { purged } = await streams.purge(nameStream(tenant, stream), {
        filter: prefix + pattern,
      })
      return purged
    },
    async measure(stream) {
      const { streams } = await managing
      const { state } = await streams.info(nameStream(tenant, stream))
      const { first_seq: firstSeq, last_seq: lastSeq, messages, bytes } = state
      return { firstSeq, lastSeq, messages, bytes }
    },
  }
}
