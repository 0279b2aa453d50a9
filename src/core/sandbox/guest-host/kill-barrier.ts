/** For so long cleaning up waits for the dead of others. */
const PATIENCE_MS = 1000

/** Runs of one backend that were told to end, until all of them are dead. */
export class KillBarrier {
  #dying = 0
  #turn: { come: () => void; hasCome: Promise<void>; late: NodeJS.Timeout } | undefined

  /** Adds a run that was told to end, until it is dead. */
  add(dead: Promise<void>): void {
    this.#dying += 1
    if (!this.#turn) {
      let come = () => {}
      const hasCome = new Promise<void>((resolve) => (come = resolve))
      this.#turn = { come, hasCome, late: setTimeout(come, PATIENCE_MS) }
    }
    const leave = () => {
      this.#dying -= 1
      if (this.#dying > 0) return
      clearTimeout(this.#turn?.late)
      this.#turn?.come()
      this.#turn = undefined
    }
    dead.then(leave, leave)
  }

  /**
   * Resolves when all of them are dead: removing what one left takes the processor from the kernel,
   * which is still ending the others.
   */
  async wait(): Promise<void> {
    await this.#turn?.hasCome
  }
}
