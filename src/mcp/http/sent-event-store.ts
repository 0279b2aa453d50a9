import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server'

/** What all sessions of a process keep together, in characters. */
export interface EventBudget {
  used: number
}

/** What one session keeps, in characters and events. */
const MAX_SESSION_CHARS = 4 * 1024 ** 2
const MAX_EVENTS = 1000
/** What all of them keep. */
const MAX_TOTAL_CHARS = 64 * 1024 ** 2
const RETENTION_MS = 60_000
/** What the SDK calls the stream of news, on which nobody waits for an answer. */
const NOTIFICATION_STREAM = '_GET_stream'

interface SentEvent {
  number: number
  stream: string
  /** Empty where it only gave the client a number to go on from. */
  message: JSONRPCMessage | Record<string, never>
  size: number
  at: number
}

/** What was sent in one session lately: a client that lost its connection asks for what it missed. */
export class SentEventStore implements EventStore {
  #budget: EventBudget
  #now: () => number
  #events: SentEvent[] = []
  /** For each stream with events: how many, and the last one that is not kept any more. */
  #streams = new Map<string, { count: number; lost: number }>()
  #count = 0
  #size = 0

  constructor(room: EventBudget, now: () => number = performance.now.bind(performance)) {
    this.#budget = room
    this.#now = now
  }

  async storeEvent(stream: string, message: SentEvent['message']): Promise<string> {
    const size = JSON.stringify(message).length
    const event = { number: ++this.#count, stream, message, size, at: this.#now() }
    const known = this.#streams.get(stream) ?? { count: 0, lost: 0 }
    this.#streams.set(stream, known)
    known.count += 1
    this.#events.push(event)
    this.#size += size
    this.#budget.used += size
    while (this.#events.length > 0 && this.#isFull) this.#drop()
    return `${stream}.${event.number}`
  }

  /** The stream that an event of this session was on; undefined where something after it is not known any more. */
  findStream(eventId: string): string | undefined {
    const { stream, number } = parseEventId(eventId)
    const known = this.#streams.get(stream)
    if (!known || !(number <= this.#count)) return undefined
    // News that are lost are told again by any later one.
    return stream === NOTIFICATION_STREAM || number >= known.lost ? stream : undefined
  }

  async replayEventsAfter(
    eventId: string,
    { send }: Parameters<EventStore['replayEventsAfter']>[1],
  ): Promise<string> {
    const stream = this.findStream(eventId)
    if (stream === undefined) throw new Error(`Nothing is known of the event "${eventId}"`)
    const { number } = parseEventId(eventId)
    const missed = this.#events.filter((each) => each.stream === stream && each.number > number)
    for (const { number: each, message } of missed) {
      if (isMessage(message)) await send(`${stream}.${each}`, message)
    }
    return stream
  }

  /** Forgets what is too old to be asked for. */
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
    // Whoever waited for an answer that is gone is told so.
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
