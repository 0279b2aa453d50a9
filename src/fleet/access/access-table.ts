import type { Engine, StoredMessage } from '../engine/engine.ts'

/** The values of the tokens or of the policy of a fleet, kept current until `close`. */
export class AccessTable {
  #messages = new Map<string, StoredMessage>()
  #changeHandlers = new Set<() => void>()
  #stops: (() => void)[] = []

  /** Resolves when the table has all values that are stored now. */
  static async open(engine: Engine, pattern: string): Promise<AccessTable> {
    const table = new AccessTable()
    const receive = (message: StoredMessage) => table.#receive(message)
    const readAll = async () => {
      for await (const message of engine.list('access', pattern)) receive(message)
    }
    table.#stops.push(
      await engine.watch('access', pattern, receive),
      // Messages of the watch may be late after an outage.
      engine.onReturn(() => void readAll().catch(() => {})),
    )
    return table
  }

  get messages(): readonly StoredMessage[] {
    return [...this.#messages.values()]
  }

  /** Calls the function after each change. */
  onChange(handle: () => void): () => void {
    this.#changeHandlers.add(handle)
    return () => void this.#changeHandlers.delete(handle)
  }

  close(): void {
    for (const stop of this.#stops) stop()
    this.#changeHandlers.clear()
  }

  #receive(message: StoredMessage): void {
    const known = this.#messages.get(message.subject)
    if (known && known.seq >= message.seq) return
    this.#messages.set(message.subject, message)
    for (const handle of this.#changeHandlers) handle()
  }
}
