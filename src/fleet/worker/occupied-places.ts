/** Counts the calls that occupy places of a worker. */
export class OccupiedPlaces {
  #count = 0
  #handlers = new Set<() => void>()

  get count(): number {
    return this.#count
  }

  /** Occupies a place. Returns a function that releases it once. */
  occupy(): () => void {
    this.#change(1)
    let isOver = false
    return () => {
      if (!isOver) this.#change(-1)
      isOver = true
    }
  }

  /** Called after each change. Returns a function that ends it. */
  onChange(handle: () => void): () => void {
    this.#handlers.add(handle)
    return () => void this.#handlers.delete(handle)
  }

  /** Resolves with true when no place is occupied; with false after the time. */
  async waitUntilIdle(ms: number): Promise<boolean> {
    if (this.#count === 0) return true
    return await new Promise<boolean>((resolve) => {
      const finish = (isIdle: boolean) => {
        clearTimeout(timer)
        stop()
        resolve(isIdle)
      }
      const timer = setTimeout(() => finish(false), ms)
      const stop = this.onChange(() => {
        if (this.#count === 0) finish(true)
      })
    })
  }

  /** Calls the handlers. */
  notify(): void {
    for (const handle of this.#handlers) handle()
  }

  #change(by: number): void {
    this.#count += by
    this.notify()
  }
}
