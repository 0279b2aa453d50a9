import { setTimeout as sleep } from 'node:timers/promises'
import { SkillsError } from '../../errors.ts'
import {
  NoReceiverError,
  SilenceError,
  type AckAddress,
  type Creation,
  type Engine,
  type EngineMessage,
  type ListOptions,
  type MessageQueue,
  type QueueStream,
  type StoredMessage,
  type EngineStream,
  type StreamSize,
} from './engine.ts'
import { connectEngine } from './connection/connect-engine.ts'
import { engineAwayError, engineRefusalError, noJetStreamError } from './errors.ts'
import { findPermissionViolation } from './find-permission-violation.ts'
import { ProbedHealth } from './health.ts'
import { listResumed } from './list-resumed.ts'
import type { EngineClient, EngineConnection, EngineManager } from './connection/load-client.ts'
import type { ReadsBy } from './message-reads.ts'
import { openQueue } from './open-queue.ts'
import { isNotReady, isStreamMissing, openStreamReader, type StreamReader } from './read-stream.ts'
import type { EngineAddress } from './connection/server-address.ts'
import { StoredAcks } from './stored-acks.ts'
import {
  readNonce,
  writeMessage,
  type MessageWrite,
  type WriteContext,
  type WriteResult,
} from './write-message.ts'

export interface EngineOptions extends EngineAddress {
  /** Name of the node, which the engine lists. */
  name: string
  tenant: string
  /** Time that writes and reads wait for an engine that is away. */
  patienceMs: number
  /** How lists and watches read; by consumers unless set. Keys of nodes allow only requests. */
  reads?: ReadsBy
}

/** No message has it. */
const PROBED_SUBJECT = 'c.probe'
/** Time to send what was published before the end. */
const CLOSE_MS = 1000

/** Connects to the engine. Throws `fleet/unavailable` if it cannot be reached or has no JetStream. */
export async function openEngine(options: EngineOptions): Promise<NatsEngine> {
  const { client, connection, inboxPrefix } = await connectEngine(options)
  const acks = new StoredAcks(client, connection, inboxPrefix)
  return new NatsEngine(client, connection, { ...options, acks })
}

/** The engine over NATS with JetStream. */
export class NatsEngine implements Engine {
  readonly tenant: string
  readonly health: ProbedHealth
  /** For the commands that manage streams. */
  readonly client: EngineClient
  readonly connection: EngineConnection
  #prefix: string
  #options: EngineOptions
  #acks: StoredAcks
  #reader: StreamReader
  #returnHandlers = new Set<() => void>()
  /** The last subject that the permissions of this node did not allow. */
  #refused: { subject: string; at: number } | undefined

  constructor(
    client: EngineClient,
    connection: EngineConnection,
    { acks, ...options }: EngineOptions & { acks: StoredAcks },
  ) {
    this.client = client
    this.connection = connection
    this.tenant = options.tenant
    this.#prefix = `sk.${options.tenant}.`
    this.#options = options
    this.#acks = acks
    this.#reader = openStreamReader(client, connection, {
      tenant: this.tenant,
      prefix: this.#prefix,
      reads: options.reads ?? 'consumers',
      onReturn: (handle) => this.onReturn(handle),
    })
    this.health = new ProbedHealth(
      async () => await connection.flush(),
      async () => await this.#readStreams(),
    )
    void this.#followStatus()
  }

  get version(): string {
    return this.connection.info?.version ?? ''
  }

  publish(subject: string, body: Uint8Array | string, reply?: string): void {
    if (this.connection.isClosed()) return
    const options = reply === undefined ? {} : { reply: this.#prefix + reply }
    this.connection.publish(this.#prefix + subject, body, options)
  }

  async request(subject: string, body: Uint8Array | string, timeoutMs: number) {
    try {
      const options = { timeout: timeoutMs }
      return (await this.connection.request(this.#prefix + subject, body, options)).data
    } catch (cause) {
      const isUnheard =
        cause instanceof this.client.NoRespondersError ||
        (cause instanceof this.client.RequestError && cause.isNoResponders())
      if (isUnheard) throw new NoReceiverError(`No node listens to "${subject}"`, { cause })
      throw new SilenceError(`"${subject}" was not answered`, { cause })
    }
  }

  subscribe(pattern: string, handle: (message: EngineMessage) => void): () => void {
    const subscription = this.connection.subscribe(this.#prefix + pattern, {
      callback: (error, message) => {
        if (error) return
        handle({
          subject: message.subject.slice(this.#prefix.length),
          body: message.data,
          respond: (body) => void message.respond(body),
        })
      },
    })
    return () => subscription.unsubscribe()
  }

  async create(
    stream: EngineStream,
    subject: string,
    body: Uint8Array | string,
  ): Promise<Creation> {
    return toCreation(await this.#write(stream, subject, { body, expected: 0 }))
  }

  async createWithAck(
    stream: EngineStream,
    subject: string,
    { body, ackAt }: { body: Uint8Array | string; ackAt: AckAddress },
  ): Promise<Creation> {
    return toCreation(await this.#write(stream, subject, { body, expected: 0, ackAt }))
  }

  async append(stream: EngineStream, subject: string, body: Uint8Array | string): Promise<number> {
    const result = await this.#write(stream, subject, { body, expected: undefined })
    if ('seq' in result) return result.seq
    throw new Error(`"${subject}" keeps one message only`)
  }

  async replace(
    stream: EngineStream,
    subject: string,
    { body, seq }: { body: Uint8Array | string; seq: number },
  ): Promise<number | undefined> {
    const result = await this.#write(stream, subject, { body, expected: seq })
    return 'seq' in result ? result.seq : undefined
  }

  async last(stream: EngineStream, subject: string): Promise<StoredMessage | undefined> {
    return await this.#repeat(async () => await this.#reader.last(stream, subject))
  }

  async *list(
    stream: EngineStream,
    pattern: string,
    options: ListOptions = {},
  ): AsyncIterable<StoredMessage> {
    const { beforeSeq } = options
    const bounds = beforeSeq === undefined ? {} : { beforeSeq }
    yield* listResumed(
      {
        open: (afterSeq) => this.#reader.list(stream, pattern, { ...bounds, afterSeq }),
        waitForEngine: async () => await this.measure(stream),
      },
      options.afterSeq,
    )
  }

  async watch(stream: EngineStream, pattern: string, handle: (message: StoredMessage) => void) {
    return await this.#reader.watch(stream, pattern, handle)
  }

  async remove(stream: EngineStream, pattern: string): Promise<number> {
    return await this.#repeat(async () => await this.#reader.remove(stream, pattern))
  }

  async subjects(stream: EngineStream, pattern: string): Promise<string[]> {
    return await this.#repeat(async () => await this.#reader.subjects(stream, pattern))
  }

  async openQueue(stream: QueueStream): Promise<MessageQueue> {
    const names = { tenant: this.tenant, prefix: this.#prefix, stream }
    const { client, connection } = this
    return await this.#repeat(async () => await openQueue(client, connection, names))
  }

  async measure(stream: EngineStream): Promise<StreamSize> {
    return await this.#repeat(async () => await this.#reader.measure(stream))
  }

  /** Creates, changes or reads streams, as soon as the engine can. */
  async manage<T>(operate: (manager: EngineManager) => Promise<T>): Promise<T> {
    const { client, connection } = this
    const manager = await client.jetstreamManager(connection, { checkAPI: false })
    return await this.#repeatUntilAnswered(
      async () =>
        await operate(manager).catch((error: unknown) => {
          // The client does not export the class.
          if ((error as Error).name !== 'JetStreamNotEnabled') throw error
          throw noJetStreamError(this.#options.servers, error)
        }),
    )
  }

  onReturn(handle: () => void): () => void {
    this.#returnHandlers.add(handle)
    return () => void this.#returnHandlers.delete(handle)
  }

  async close(): Promise<void> {
    this.health.stop()
    // Without an engine that answers, the end of the connection would wait for one.
    const ending = this.connection.drain().catch(async () => await this.connection.close())
    await Promise.race([ending, sleep(CLOSE_MS, undefined, { ref: false })])
  }

  async #write(
    stream: EngineStream,
    subject: string,
    { body, expected, ackAt }: Pick<MessageWrite, 'body' | 'expected' | 'ackAt'>,
  ): Promise<WriteResult> {
    const context: WriteContext = {
      client: this.client,
      store: async (request) => await this.#acks.store(request),
      readBack: async () =>
        await this.#repeat(
          async () => await this.#reader.lastWithNonce(stream, subject, readNonce),
        ),
      waitForEngine: async (...args) => await this.#waitForEngine(...args),
    }
    return await writeMessage(context, {
      subject: this.#prefix + subject,
      body,
      expected,
      ackAt: ackAt && this.#addPrefix(ackAt),
      contents: stream,
    })
  }

  #addPrefix({ subject, pattern }: AckAddress): AckAddress {
    return { subject: this.#prefix + subject, pattern: this.#prefix + pattern }
  }

  /** Repeats a read until the engine answers it. */
  async #repeat<T>(read: () => Promise<T>): Promise<T> {
    return await this.#repeatUntilAnswered(read).catch((error: unknown) => {
      throw this.#explain(error)
    })
  }

  async #repeatUntilAnswered<T>(operate: () => Promise<T>): Promise<T> {
    const since = performance.now()
    const { client } = this
    for (let attempt = 0; ; attempt++) {
      try {
        return await operate()
      } catch (error) {
        const isAnswer = error instanceof client.JetStreamApiError && !isNotReady(client, error)
        if (isAnswer || error instanceof SkillsError || findPermissionViolation(client, error))
          throw error
        await this.#waitForEngine(since, Math.min(1000, 50 * 2 ** attempt), error)
      }
    }
  }

  /** Throws if a stream of calls or records does not answer. */
  async #readStreams(): Promise<true> {
    const read = async (stream: EngineStream) => {
      await this.#reader.last(stream, PROBED_SUBJECT).catch((error: unknown) => {
        if (!isStreamMissing(this.client, error)) throw error
      })
    }
    await Promise.all([read('calls'), read('runs')])
    return true
  }

  #explain(error: unknown): unknown {
    const refusal = findPermissionViolation(this.client, error)
    if (refusal) return engineRefusalError(this.#options.servers, refusal.subject, error)
    if (!isStreamMissing(this.client, error)) return error
    return new SkillsError('fleet/unavailable', `The engine has no streams of "${this.tenant}"`, {
      hint: `Type "skills fleet init --fleet ${this.#options.servers}"`,
      cause: error,
    })
  }

  async #waitForEngine(since: number, pauseMs: number, cause: unknown): Promise<void> {
    const { patienceMs, servers } = this.#options
    if (this.connection.isClosed() || performance.now() - since > patienceMs) {
      if (this.#refused && this.#refused.at >= since && !this.connection.isClosed())
        throw engineRefusalError(servers, this.#refused.subject, cause)
      throw engineAwayError(servers, cause)
    }
    await sleep(pauseMs)
  }

  #noteRefusal(error: Error): void {
    const { PermissionViolationError } = this.client
    if (!(error instanceof PermissionViolationError) || error.operation !== 'publish') return
    this.#refused = { subject: error.subject, at: performance.now() }
  }

  async #followStatus(): Promise<void> {
    for await (const status of this.connection.status()) {
      const { type } = status
      if (type === 'disconnect') this.health.setConnected(false)
      if (type === 'error') this.#noteRefusal(status.error)
      if (type !== 'reconnect') continue
      this.health.setConnected(true)
      for (const handle of this.#returnHandlers) handle()
    }
  }
}

function toCreation(result: WriteResult): Creation {
  if ('seq' in result) return { isCreated: true, seq: result.seq }
  return { isCreated: false, existing: result.existing }
}
