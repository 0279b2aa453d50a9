/** Time for which a value is reused. */
const TTL_MS = 1000

interface CachedValue<Value> {
  key: unknown
  text: string
  at: number
  value: Promise<Value>
}

/** Caches the last value briefly, for repeated identical queries. */
export class RecentValueCache<Value> {
  #last: CachedValue<Value> | undefined

  /** Reuses the value if both the object and the text of the key are the same. */
  async get(
    { key, text }: { key: unknown; text: string },
    find: () => Promise<Value>,
  ): Promise<Value> {
    const now = performance.now()
    const last = this.#last
    if (last && last.key === key && last.text === text && now - last.at < TTL_MS) {
      return await last.value
    }
    const value = find()
    this.#last = { key, text, at: now, value }
    value.catch(() => (this.#last = undefined))
    return await value
  }
}
