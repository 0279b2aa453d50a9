import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server'

/** Characters stored by all sessions of a process. */
export interface EventBudget {
  used: number
}

/** Limits of one session, in characters and events. */
const MAX_SESSION_CHARS = 4 * 1024 ** 2
const MAX_EVENTS = 1000
/** Limit of all sessions together, in characters. */
const MAX_TOTAL_CHARS = 64 * 1024 ** 2
const RETENTION_MS = 60_000
/** The SDK's id of the notification stream, which carries no responses. */
const NOTIFICATION_STREAM = '_GET_stream'

interface SentEvent {
  number: number
  stream: string
  /** Empty for an event that only gives the client an id to resume from. */
  message: JSONRPCMessage | Record<string, never>
  size: number
  at: number
}

/** Recent events of one session. A client that reconnects requests the ones it missed. */
export class SentEventStore implements EventStore {
  #budget: EventBudget
  #now: () => number
  #events: SentEvent[] = []
  /** By stream: the number of stored events and the number of the last dropped one. */
  #streams = new Map<string, { count: number; lost: number }>()
  #count = 0
  #size = 0

  constructor(budget: EventBudget, now: () => number = performance.now.bind(performance)) {
    this.#budget = budget
    this.#now = now
  }

  async storeEvent(stream: string, message: SentEvent['message']): Promise<string> {
    const size = JSON.stringify(message).length
    const event = { number: ++this.#count, stream, message, size, at: this.#now() }
    const counters = this.#streams.get(stream) ?? { count: 0, lost: 0 }
    this.#streams.set(stream, counters)
    counters.count += 1
    this.#events.push(event)
    this.#size += size
    this.#budget.used += size
    while (this.#events.length > 0 && this.#isFull) this.#drop()
    return `${stream}.${event.number}`
  }

  /** Returns the stream of an event; undefined if a later event of the stream was dropped. */
  findStream(eventId: string): string | undefined {
    const { stream, number } = parseEventId(eventId)
    const counters = this.#streams.get(stream)
    if (!counters || !(number <= this.#count)) return undefined
    // Dropped notifications need no replay: any later one makes the client read the current state.
    return stream === NOTIFICATION_STREAM || number >= counters.lost ? stream : undefined
  }

  async replayEventsAfter(
    eventId: string,
    { send }: Parameters<EventStore['replayEventsAfter']>[1],
  ): Promise<string> {
    const stream = this.findStream(eventId)
    if (stream === undefined) throw new Error(`Unknown or expired event "${eventId}"`)
    const { number } = parseEventId(eventId)
    const missed = this.#events.filter((each) => each.stream === stream && each.number > number)
    for (const { number: each, message } of missed) {
      if (isMessage(message)) await send(`${stream}.${each}`, message)
    }
    return stream
  }

  /** Drops events that are too old to be replayed. */
  expire(): void {
    const since = this.#now() - RETENTION_MS
    while ((this.#events[0]?.at ?? Infinity) < since) this.#drop()
  }

  clear(): void {
    while (this.#events.length > 0) this.#drop()
    this.#streams.clear()
  }

  get #isFull(): boolean {
    const isOver = this.#size > MAX_SESSION_CHARS || this.#events.length > MAX_EVENTS
    return isOver || this.#budget.used > MAX_TOTAL_CHARS
  }

  #drop(): void {
    const oldest = this.#events.shift()
    if (!oldest) return
    this.#size -= oldest.size
    this.#budget.used -= oldest.size
    const stream = this.#streams.get(oldest.stream)
    if (!stream) return
    stream.count -= 1
    stream.lost = oldest.number
    // A client that asks for a response on this stream then gets an error.
    if (stream.count === 0 && oldest.stream !== NOTIFICATION_STREAM)
      this.#streams.delete(oldest.stream)
  }
}

function parseEventId(eventId: string): { stream: string; number: number } {
  const dot = eventId.lastIndexOf('.')
  const digits = eventId.slice(dot + 1)
  return { stream: eventId.slice(0, dot), number: /^\d{1,15}$/.test(digits) ? Number(digits) : NaN }
}

function isMessage(message: SentEvent['message']): message is JSONRPCMessage {
  return 'jsonrpc' in message
}
