/** Upper bound of the wait before cleanup. */
const MAX_WAIT_MS = 1000

/** Lets cleanup wait until all killed runs of one backend are dead. */
export class KillBarrier {
  #dying = 0
  #barrier: { come: () => void; hasCome: Promise<void>; late: NodeJS.Timeout } | undefined

  /** Registers a killed run until it is dead. */
  add(dead: Promise<void>): void {
    this.#dying += 1
    if (!this.#barrier) {
      let come = () => {}
      const hasCome = new Promise<void>((resolve) => (come = resolve))
      this.#barrier = { come, hasCome, late: setTimeout(come, MAX_WAIT_MS) }
    }
    const leave = () => {
      this.#dying -= 1
      if (this.#dying > 0) return
      clearTimeout(this.#barrier?.late)
      this.#barrier?.come()
      this.#barrier = undefined
    }
    dead.then(leave, leave)
  }

  /**
   * Resolves when all of them are dead: removing files earlier would compete for the processor with
   * the kernel, which is still killing the others.
   */
  async waitForKilledRuns(): Promise<void> {
    await this.#barrier?.hasCome
  }
}
