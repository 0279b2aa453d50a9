import type { Engine, StoredMessage } from '../engine/engine.ts'
import { decodeEntry, isTombstone, type EntryPrefix, type Tombstone } from './entries.ts'

/** An entry of the index. */
export interface IndexedEntry<T> {
  name: string
  /** Position in the stream: entries are ordered by it. */
  seq: number
  value: T
}

interface IndexOptions<T> {
  prefix: EntryPrefix
  /** Reads the part of an entry that the index keeps. Throws if the entry is damaged. */
  parse: (message: StoredMessage, name: string) => T
  measure: (value: T) => number
}

/**
 * The entries of a kind, in memory. Each update reads only the messages since the last one, so each
 * entry is read once by each process that needs a list or a total.
 */
export class EntryIndex<T> {
  #engine: Engine
  #options: IndexOptions<T>
  #entries = new Map<string, IndexedEntry<T>>()
  #bytes = 0
  /** All messages up to this position were read. */
  #readSeq = 0
  #updatedAt = -Infinity
  #running: Promise<void> = Promise.resolve()
  #queued: Promise<void> | undefined

  constructor(engine: Engine, options: IndexOptions<T>) {
    this.#engine = engine
    this.#options = options
  }

  /** Sum of the sizes of all entries. */
  get bytes(): number {
    return this.#bytes
  }

  /** All entries, in no order. */
  list(): IndexedEntry<T>[] {
    return [...this.#entries.values()]
  }

  /** Reads all messages that are stored now. Callers share an update that has not begun. */
  async update(): Promise<void> {
    this.#queued ??= this.#updateAfter(this.#running)
    await this.#queued
  }

  async updateIfOlderThan(ms: number): Promise<void> {
    if (performance.now() - this.#updatedAt > ms) await this.update()
  }

  add(entry: IndexedEntry<T>): void {
    this.delete(entry.name)
    this.#entries.set(entry.name, entry)
    this.#bytes += this.#options.measure(entry.value)
  }

  /** Removes an entry, unless a later one has its name. */
  delete(name: string, seq = Infinity): void {
    const entry = this.#entries.get(name)
    if (!entry || entry.seq > seq) return
    this.#entries.delete(name)
    this.#bytes -= this.#options.measure(entry.value)
  }

  async #updateAfter(running: Promise<void>): Promise<void> {
    await running.catch(() => {})
    this.#queued = undefined
    this.#running = this.#readNew()
    await this.#running
  }

  async #readNew(): Promise<void> {
    const startedAt = performance.now()
    const { lastSeq } = await this.#engine.measure('data')
    if (lastSeq < this.#readSeq) this.#clear()
    if (lastSeq > this.#readSeq) {
      const pattern = `${this.#options.prefix}.>`
      const list = { stream: 'data', pattern, afterSeq: this.#readSeq } as const
      for await (const message of this.#engine.list(list.stream, list.pattern, list))
        this.#apply(message)
      this.#readSeq = lastSeq
    }
    this.#updatedAt = startedAt
  }

  #apply(message: StoredMessage): void {
    const [, name = ''] = message.subject.split('.')
    try {
      if (isTombstone(message.subject)) {
        this.delete(name, decodeEntry<Tombstone>(message).seq ?? 0)
      } else {
        this.add({ name, seq: message.seq, value: this.#options.parse(message, name) })
      }
    } catch {
      // Lists leave out damaged entries; their readers report the damage.
    }
  }

  /** The engine lost messages that it had acknowledged: its positions begin again. */
  #clear(): void {
    this.#entries.clear()
    this.#bytes = 0
    this.#readSeq = 0
  }
}
