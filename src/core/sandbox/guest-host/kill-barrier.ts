/** For so long cleaning up waits for the dead of others. */
const MAX_WAIT_MS = 1000

/** Runs of one backend that were told to end, until all of them are dead. */
export class KillBarrier {
  #dying = 0
  #barrier: { come: () => void; hasCome: Promise<void>; late: NodeJS.Timeout } | undefined

  /** Adds a run that was told to end, until it is dead. */
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
   * Resolves when all of them are dead: removing what one left takes the processor from the kernel,
   * which is still ending the others.
   */
  async waitForKilledRuns(): Promise<void> {
    await this.#barrier?.hasCome
  }
}
