/** How long the phases of a call take. */
export class Phases {
  #startedAt = performance.now()
  #phases: Record<string, number> = {}

  /** Does the work of a phase. */
  async time<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now()
    try {
      return await work()
    } finally {
      this.#phases[name] = round(performance.now() - startedAt)
    }
  }

  timings(): { totalMs: number; phases: Readonly<Record<string, number>> } {
    return { totalMs: round(performance.now() - this.#startedAt), phases: this.#phases }
  }
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10
}
