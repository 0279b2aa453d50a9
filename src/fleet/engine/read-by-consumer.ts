import { nameStream } from './assets.ts'
import type { EngineStream, ListOptions, StoredMessage } from './engine.ts'
import type { EngineClient, EngineConnection } from './connection/load-client.ts'
import type { MessageReads, StreamNames } from './message-reads.ts'
import { takeInTime } from './take-in-time.ts'

const PAGE = 256
const RECHECK_MS = 1000
/** Silence after which a list asks whether it has all messages. */
const IDLE_MS = 100

interface Received {
  subject: string
  data: Uint8Array
  seq: number
  info: { timestampNanos: number; pending: number }
}

/** Reads messages by consumers, which make the engine send stored messages. */
export class ConsumerReads implements MessageReads {
  #client: EngineClient
  #names: StreamNames
  #js: ReturnType<EngineClient['jetstream']>

  constructor(client: EngineClient, connection: EngineConnection, names: StreamNames) {
    this.#client = client
    this.#names = names
    this.#js = client.jetstream(connection, { timeout: 5000 })
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

  async #openConsumer(stream: EngineStream, pattern: string, afterSeq = 0) {
    const { tenant, prefix } = this.#names
    return await this.#js.consumers.get(nameStream(tenant, stream), {
      filter_subjects: prefix + pattern,
      ...(afterSeq > 0 && {
        deliver_policy: this.#client.DeliverPolicy.StartSequence,
        opt_start_seq: afterSeq + 1,
      }),
    })
  }

  #toStored({ subject, data, seq, info }: Received): StoredMessage {
    return {
      subject: subject.slice(this.#names.prefix.length),
      body: data,
      seq,
      storedAt: Math.floor(info.timestampNanos / 1e6),
    }
  }
}
