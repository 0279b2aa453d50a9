import { SilenceError, type AckAddress } from './engine.ts'
import type { EngineClient, EngineConnection } from './connection/load-client.ts'

type Client = Pick<EngineClient, 'createInbox' | 'JetStreamApiError'>
/** One try to store a message. */
export interface StoreRequest {
  subject: string
  body: Uint8Array | string
  headers: ReturnType<EngineClient['headers']>
  timeoutMs: number
  /** With the prefix of the tenant. */
  ackAt?: AckAddress | undefined
}

/** A message that is not acknowledged yet. */
interface Waiting {
  pattern: string | undefined
  settle(body: Uint8Array): void
  fail(error: Error): void
}

/**
 * Sends messages to streams, and receives the acknowledgements of the engine on subscriptions that stay. The client
 * of the engine has a request for this, which takes a third longer.
 */
export class StoredAcks {
  #client: Client
  #connection: EngineConnection
  #inbox: string
  #waiting = new Map<string, Waiting>()
  /** Subscribed patterns that others hear as well. */
  #shared = new Set<string>()
  #count = 0

  constructor(client: Client, connection: EngineConnection, inboxPrefix: string | undefined) {
    this.#client = client
    this.#connection = connection
    this.#inbox = client.createInbox(inboxPrefix)
    this.#subscribe(`${this.#inbox}.*`, (error) => {
      for (const waiting of this.#waiting.values()) waiting.fail(error)
    })
  }

  /** Resolves with the position of the stored message. */
  async store({ subject, body, headers, timeoutMs, ackAt }: StoreRequest): Promise<number> {
    const pattern = ackAt?.pattern
    if (pattern !== undefined) this.#share(pattern)
    const reply = ackAt?.subject ?? `${this.#inbox}.${++this.#count}`
    let timer: NodeJS.Timeout | undefined
    try {
      return await new Promise((resolve, reject) => {
        const settle = (received: Uint8Array) => resolve(this.#readPosition(received))
        this.#waiting.set(reply, { pattern, settle, fail: reject })
        const fail = () => reject(new SilenceError(`"${subject}" was not acknowledged`))
        timer = setTimeout(fail, timeoutMs)
        this.#connection.publish(subject, body, { reply, headers })
      })
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(reply)
    }
  }

  /** Subscribes to a pattern once. */
  #share(pattern: string): void {
    if (this.#shared.has(pattern)) return
    this.#shared.add(pattern)
    this.#subscribe(pattern, (error) => {
      this.#shared.delete(pattern)
      for (const waiting of this.#waiting.values())
        if (waiting.pattern === pattern) waiting.fail(error)
    })
  }

  #subscribe(pattern: string, refuse: (error: Error) => void): void {
    this.#connection.subscribe(pattern, {
      callback: (error, message) => {
        if (error) refuse(error)
        else this.#waiting.get(message.subject)?.settle(message.data)
      },
    })
  }

  async #readPosition(body: Uint8Array): Promise<number> {
    const ack = readAck(body)
    if (ack && 'error' in ack) throw new this.#client.JetStreamApiError(ack.error)
    if (!ack) throw new Error('the engine stores no messages of this subject')
    return ack.seq
  }
}

type Ack = { seq: number } | { error: ConstructorParameters<EngineClient['JetStreamApiError']>[0] }

/** True if the bytes acknowledge a stored message. */
export function isStored(body: Uint8Array): boolean {
  try {
    return 'seq' in (readAck(body) ?? {})
  } catch {
    return false
  }
}

/** Undefined if the bytes are no acknowledgement. */
function readAck(body: Uint8Array): Ack | undefined {
  if (body.length === 0) return undefined
  const { stream, seq, error } = JSON.parse(Buffer.from(body).toString()) as {
    stream?: unknown
    seq?: unknown
    error?: { code: number; err_code: number; description: string }
  }
  if (error) return { error }
  return typeof stream === 'string' && stream !== '' && Number.isSafeInteger(seq)
    ? { seq: Number(seq) }
    : undefined
}
