/** Upper bound of the wait before cleanup. */
const MAX_WAIT_MS = 1000

/** Lets cleanup wait until all killed runs of one backend are dead. */
export class KillBarrier {
  #dying = 0
  #barrier: { release: () => void; released: Promise<void>; timer: NodeJS.Timeout } | undefined

  /** Registers a killed run until it is dead. */
  add(dead: Promise<void>): void {
    this.#dying += 1
    if (!this.#barrier) {
      let release = () => {}
      const released = new Promise<void>((resolve) => (release = resolve))
      this.#barrier = { release, released, timer: setTimeout(release, MAX_WAIT_MS) }
    }
    const onDead = () => {
      this.#dying -= 1
      if (this.#dying > 0) return
      clearTimeout(this.#barrier?.timer)
      this.#barrier?.release()
      this.#barrier = undefined
    }
    dead.then(onDead, onDead)
  }

  /**
   * Resolves when all of them are dead: removing files earlier would compete for the processor with
   * the kernel, which is still killing the others.
   */
  async waitForKilledRuns(): Promise<void> {
    await this.#barrier?.released
  }
}
