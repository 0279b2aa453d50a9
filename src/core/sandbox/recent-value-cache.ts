/** How long what was found a moment ago is taken to be so still. */
const TTL_MS = 1000

interface CachedValue<Value> {
  key: unknown
  words: string
  at: number
  value: Promise<Value>
}

/** Remembers the last answer for a moment, for those who ask the same again and again. */
export class RecentValueCache<Value> {
  #last: CachedValue<Value> | undefined

  /** Asked for the same where both the object and the words are. */
  async get(
    { key, words }: { key: unknown; words: string },
    find: () => Promise<Value>,
  ): Promise<Value> {
    const now = performance.now()
    const last = this.#last
    if (last && last.key === key && last.words === words && now - last.at < TTL_MS) {
      return await last.value
    }
    const value = find()
    this.#last = { key, words, at: now, value }
    value.catch(() => (this.#last = undefined))
    return await value
  }
}
