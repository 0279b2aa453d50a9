import type { Engine, StoredMessage } from '../engine/engine.ts'

/** The values of a table of the fleet's state, kept current until `close`. */
export class StateTable {
  #messages = new Map<string, StoredMessage>()
  #changeHandlers = new Set<() => void>()
  #stops: (() => void)[] = []

  /** Resolves when the table has all values that are stored now. */
  static async open(engine: Engine, pattern: string): Promise<StateTable> {
    const table = new StateTable()
    const receive = (message: StoredMessage) => table.#receive(message)
    const readAll = async () => {
      for await (const message of engine.list('state', pattern)) receive(message)
    }
    table.#stops.push(
      await engine.watch('state', pattern, receive),
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
