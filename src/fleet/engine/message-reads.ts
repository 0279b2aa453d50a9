import type { EngineStream, ListOptions, StoredMessage } from './engine.ts'

/**
 * How a node reads many messages. `consumers`: the engine sends them, which is fast. `requests`: the node
 * asks for each, and needs no right to create consumers: a consumer can make the engine send a stored
 * message to any subject.
 */
export type ReadsBy = 'consumers' | 'requests'

export interface StreamNames {
  tenant: string
  /** Prefix of all subjects of the tenant. */
  prefix: string
}

/** One way of reading many messages; `Engine` describes both methods. */
export interface MessageReads {
  list(stream: EngineStream, pattern: string, options: ListOptions): AsyncGenerator<StoredMessage>
  watch(
    stream: EngineStream,
    pattern: string,
    handle: (message: StoredMessage) => void,
  ): Promise<() => void>
}
