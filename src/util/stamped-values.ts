import { FolderStamps } from './stamp-folder.ts'

const MAX_FOLDERS = 256

/** Values derived from folders, recomputed only if an entry of the folder changed. */
export class StampedValues<T> {
  #stamps = new FolderStamps()
  #cached = new Map<string, { stamp: string; value: T }>()

  /** Undefined is not cached. */
  async get(dir: string, read: () => Promise<T>): Promise<T> {
    const before = this.#stamps.stamp(dir)
    const found = this.#cached.get(dir)
    if (found?.stamp === before.text) return found.value
    this.#cached.delete(dir)
    const value = await read()
    const isSame = before.isSettled && this.#stamps.stamp(dir).text === before.text
    if (value === undefined || !isSame) return value
    this.#cached.set(dir, { stamp: before.text, value })
    for (const oldest of this.#cached.keys()) {
      if (this.#cached.size > MAX_FOLDERS) this.#cached.delete(oldest)
    }
    return value
  }
}
