import type { StoredMessage } from './engine.ts'

/** Messages of the subscription may be lost: what is stored is read again after this time. */
const REREAD_MS = 10_000
/** Pauses of the reads for a message that was received, and may not be stored yet or never. */
const RETRY_MS = [10, 50, 200, 1000]

/** A part of a stream, and the signs that it has new messages. */
export interface WatchedMessages {
  /** Calls the handler with each published message, stored or not. Resolves when it is in effect. */
  subscribe(handle: (subject: string, body: Uint8Array) => void): Promise<() => void>
  /** Yields the stored messages after a position. */
  list(afterSeq: number): AsyncIterable<StoredMessage>
  /** Called when the connection returns after it was lost. */
  onReturn(handle: () => void): () => void
}

/** Calls the handler with each stored message, and with each later one, in order. */
export async function watchBySubscription(
  watched: WatchedMessages,
  handle: (message: StoredMessage) => void,
): Promise<() => void> {
  const watch = new SubscriptionWatch(watched, handle)
  try {
    await watch.start()
  } catch (error) {
    watch.stop()
    throw error
  }
  return () => watch.stop()
}

class SubscriptionWatch {
  #watched: WatchedMessages
  #handle: (message: StoredMessage) => void
  /** Position of the last message that was handled. */
  #seq = 0
  /** Received messages that were not read from the stream yet, by subject. */
  #awaited = new Map<string, Uint8Array>()
  #retries = 0
  #isReading = false
  #isStale = false
  #isStopped = false
  #timer: NodeJS.Timeout | undefined
  #stops: (() => void)[] = []

  constructor(watched: WatchedMessages, handle: (message: StoredMessage) => void) {
    this.#watched = watched
    this.#handle = handle
  }

  async start(): Promise<void> {
    this.#isReading = true
    const unsubscribe = await this.#watched.subscribe((subject, body) => {
      this.#awaited.set(subject, body)
      this.#retries = 0
      void this.#follow()
    })
    this.#stops.push(
      unsubscribe,
      this.#watched.onReturn(() => void this.#follow()),
    )
    await this.#readNew()
    this.#isReading = false
    void this.#follow()
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
    for (const stop of this.#stops) stop()
  }

  /** Reads new messages. A sign that arrives meanwhile leads to another read after this one. */
  async #follow(): Promise<void> {
    this.#isStale = true
    if (this.#isReading) return
    this.#isReading = true
    clearTimeout(this.#timer)
    let isRead = true
    while (isRead && this.#isStale && !this.#isStopped) {
      this.#isStale = false
      isRead = await this.#readNew().then(
        () => true,
        () => false,
      )
    }
    this.#isReading = false
    if (!this.#isStopped) this.#schedule(isRead)
  }

  async #readNew(): Promise<void> {
    for await (const message of this.#watched.list(this.#seq)) {
      if (this.#isStopped) return
      this.#seq = message.seq
      const awaited = this.#awaited.get(message.subject)
      if (awaited && Buffer.compare(awaited, message.body) === 0) {
        this.#awaited.delete(message.subject)
      }
      this.#handle(message)
    }
  }

  #schedule(isRead: boolean): void {
    const isComplete = isRead && this.#awaited.size === 0
    const pause = isComplete ? undefined : RETRY_MS[this.#retries++]
    if (pause === undefined) {
      // A message that the stream refused is not stored.
      this.#awaited.clear()
      this.#retries = 0
    }
    this.#timer = setTimeout(() => void this.#follow(), pause ?? REREAD_MS)
  }
}
