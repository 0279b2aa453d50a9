/** Runs the work of one key one after the other; different keys do not wait for each other. */
export class KeyedQueue {
  #last = new Map<string, Promise<unknown>>()

  /** Runs after all earlier work of the key, also if that failed. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve()
    const turn = before.catch(() => {}).then(work)
    this.#last.set(key, turn)
    try {
      return await turn
    } finally {
      if (this.#last.get(key) === turn) this.#last.delete(key)
    }
  }
}
