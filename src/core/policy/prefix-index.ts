/**
 * Finds patterns that may match a value by the text before their first wildcard, so that a long
 * list costs as much as the few patterns that begin like the value.
 */
export class PrefixIndex<Entry> {
  #byPrefix = new Map<string, Entry[]>()
  #lengths = new Set<number>()

  add(prefix: string, entry: Entry): void {
    const entries = this.#byPrefix.get(prefix)
    if (entries) entries.push(entry)
    else this.#byPrefix.set(prefix, [entry])
    this.#lengths.add(prefix.length)
  }

  /** True if `accepts` is true for an entry whose prefix begins the value. */
  some(value: string, accepts: (entry: Entry) => boolean): boolean {
    for (const length of this.#lengths) {
      if (length > value.length) continue
      if (this.#byPrefix.get(value.slice(0, length))?.some(accepts)) return true
    }
    return false
  }
}
