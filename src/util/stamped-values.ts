import { FolderStamps } from './stamp-folder.ts'

const MOST_KEPT = 256

/** Values that were read out of folders: each is read again only where an entry of its folder changed since. */
export class StampedValues<T> {
  #stamps = new FolderStamps()
  #known = new Map<string, { stamp: string; value: T }>()

  /** Undefined is not kept. */
  async get(dir: string, read: () => Promise<T>): Promise<T> {
    const before = this.#stamps.stamp(dir)
    const found = this.#known.get(dir)
    if (found?.stamp === before.text) return found.value
    this.#known.delete(dir)
    const value = await read()
    const isSame = before.isSettled && this.#stamps.stamp(dir).text === before.text
    if (value === undefined || !isSame) return value
    this.#known.set(dir, { stamp: before.text, value })
    for (const oldest of this.#known.keys()) {
      if (this.#known.size > MOST_KEPT) this.#known.delete(oldest)
    }
    return value
  }
}
