/** A message that was sent to a subject that this process subscribed to. */
export interface EngineMessage {
  /** Without the prefix of the tenant. */
  subject: string
  body: Uint8Array
  /** Answers the sender, if it waits for an answer. */
  respond(body: Uint8Array | string): void
}

/** A message that a stream keeps. */
export interface StoredMessage {
  /** Without the prefix of the tenant. */
  subject: string
  body: Uint8Array
  /** Its position in the stream, counted from 1. */
  seq: number
  /** When the engine stored it, in milliseconds since 1970. */
  storedAt: number
}

/** The result of a write that succeeds only if nothing has the subject. */
export type Creation =
  | { isCreated: true; seq: number }
  /** The stored message; undefined if it expired meanwhile. */
  | { isCreated: false; existing: StoredMessage | undefined }

/**
 * The address at which the engine acknowledges a message to its writer and to others at once. The writer subscribes
 * to the pattern, which matches the subject.
 */
export interface AckAddress {
  subject: string
  pattern: string
}

/** Streams of a tenant; `assets.ts` describes each. */
export type EngineStream =
  | 'calls'
  | 'runs'
  | 'jobs'
  | 'data'
  | 'workspaces'
  | 'skills'
  | 'state'
  | 'access'
  | 'audit'

/** Streams whose messages are removed when a worker has acknowledged them. */
export type QueueStream = 'jobs'

/** A queue of the engine, as one worker uses it. */
export interface MessageQueue {
  /** Time without a sign after which a message is delivered again. */
  readonly ackWaitMs: number
  /**
   * Asks for one message, for some seconds. Undefined if there was none, or the signal aborted: a message
   * that arrives then is returned to the queue. Never throws.
   */
  pull(signal: AbortSignal): Promise<QueuedMessage | undefined>
}

/** A message of a queue, which is delivered again unless it is acknowledged. */
export interface QueuedMessage {
  /** Without the prefix of the tenant. */
  subject: string
  body: Uint8Array
  /** Removes the message. An acknowledgement may be lost: the message is then delivered again. */
  ack(): Promise<void>
  /** Returns the message to the queue, to be delivered after some time. */
  nak(delayMs: number): void
  /** Extends the time after which it is delivered again. */
  working(): void
}

/** Whether the engine answers. A node that may be silent only because the engine is away is not judged. */
export interface EngineHealth {
  /** True if the engine answered a moment ago, and has done so for a second. */
  readonly isSteady: boolean
  /** True if the engine answered a moment ago. */
  readonly isAnswering: boolean
  /**
   * Milliseconds, on the clock of `performance.now()`, of the last return of the engine. Silence of others
   * counts from then.
   */
  readonly backAt: number
  /** Milliseconds since the engine and its streams answered; 0 while they answer. */
  readonly awayMs: number
  /** Milliseconds in which the engine did not answer, since the connection was opened. */
  readonly totalAwayMs: number
  /** Milliseconds that the last answer took. */
  readonly roundTripMs: number
}

export interface ListOptions {
  /** Only messages stored after this position. */
  afterSeq?: number
  /** Only messages before this position. */
  beforeSeq?: number
}

/**
 * The engine of a fleet: messages between nodes, and streams that keep them. Subjects have no prefix: an
 * engine is opened for one tenant. Writes are acknowledged by the engine when they return; those that it
 * does not answer are repeated for `patienceMs`, then throw `fleet/unavailable`.
 */
export interface Engine {
  readonly tenant: string
  /** Version of the server, such as 2.10.23. */
  readonly version: string
  readonly health: EngineHealth
  /**
   * Sends a message that may be lost. If no node listens to the subject, `reply` receives a message
   * without a body.
   */
  publish(subject: string, body: Uint8Array | string, reply?: string): void
  /**
   * Sends a message and waits for one answer. Throws `NoReceiverError` if no node listens, and
   * `SilenceError` after the time.
   */
  request(subject: string, body: Uint8Array | string, timeoutMs: number): Promise<Uint8Array>
  /** Calls the handler with each message to a subject, whose parts may be `*` and `>`. */
  subscribe(pattern: string, handle: (message: EngineMessage) => void): () => void
  /** Stores a message if its subject has none. Of several writers, one succeeds. */
  create(stream: EngineStream, subject: string, body: Uint8Array | string): Promise<Creation>
  /** The same. The engine acknowledges the first try to others as well, which is not sure to reach them. */
  createWithAck(
    stream: EngineStream,
    subject: string,
    message: { body: Uint8Array | string; ackAt: AckAddress },
  ): Promise<Creation>
  /** Stores a message after all others of its subject. Returns its position. */
  append(stream: EngineStream, subject: string, body: Uint8Array | string): Promise<number>
  /**
   * Replaces the message of a subject if it still has this position; 0 if there is none. Returns the new
   * position; undefined if another writer was first.
   */
  replace(
    stream: EngineStream,
    subject: string,
    replacement: { body: Uint8Array | string; seq: number },
  ): Promise<number | undefined>
  /** The last message of a subject, read from the leader of the stream. */
  last(stream: EngineStream, subject: string): Promise<StoredMessage | undefined>
  /** Yields the stored messages that match, oldest first, until the last one that is stored now. */
  list(stream: EngineStream, pattern: string, options?: ListOptions): AsyncIterable<StoredMessage>
  /**
   * Calls the handler with each stored message that matches, and with each later one, in order. Resolves
   * when it was called with all that are stored now. The returned function ends it.
   */
  watch(
    stream: EngineStream,
    pattern: string,
    handle: (message: StoredMessage) => void,
  ): Promise<() => void>
  /** Removes all messages that match, and returns their number. */
  remove(stream: EngineStream, pattern: string): Promise<number>
  /** Subjects of the stored messages that match. */
  subjects(stream: EngineStream, pattern: string): Promise<string[]>
  /** Opens a stream whose messages workers share. */
  openQueue(stream: QueueStream): Promise<MessageQueue>
  /** First and last position of a stream, and its size. */
  measure(stream: EngineStream): Promise<StreamSize>
  /** Called when the connection returns after it was lost. */
  onReturn(handle: () => void): () => void
  /** Ends the connection. Messages that were published before are sent. */
  close(): Promise<void>
}

export interface StreamSize {
  firstSeq: number
  lastSeq: number
  messages: number
  bytes: number
  /** Infinity without a limit. */
  maxMessages: number
}

/** No node listens to the subject. */
export class NoReceiverError extends Error {
  override name = 'NoReceiverError'
}

/** No answer came in time. */
export class SilenceError extends Error {
  override name = 'SilenceError'
}
