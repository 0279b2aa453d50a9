/** Plans a change of a file, which replaces an earlier one of the same file. */
export type DeferWrite = (path: string, write: () => void | Promise<void>) => void

/**
 * Changes of snapshots and cassettes, which are made when no case runs: they are files of a skill,
 * and a skill that changes while a run starts is refused.
 */
export class DeferredWrites {
  readonly #writes = new Map<string, () => void | Promise<void>>()

  readonly defer: DeferWrite = (path, write) => void this.#writes.set(path, write)

  async perform(): Promise<void> {
    for (const [path, write] of this.#writes) {
      this.#writes.delete(path)
      await write()
    }
  }
}
