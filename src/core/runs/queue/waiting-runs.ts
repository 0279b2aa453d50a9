import type { SkillsError } from '../../../errors.ts'

/** A run that waits for a slot. */
export interface WaitingRun {
  principal: string
  start(): void
  refuse(error: SkillsError): void
}

/** Waiting runs by principal, each in order of arrival. */
export class WaitingRuns {
  /** In the order in which the principals were served or began to wait. */
  #lines = new Map<string, Set<WaitingRun>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  count(principal: string): number {
    return this.#lines.get(principal)?.size ?? 0
  }

  list(): WaitingRun[] {
    return [...this.#lines.values()].flatMap((line) => [...line])
  }

  add(run: WaitingRun): void {
    const line = this.#lines.get(run.principal) ?? new Set()
    line.add(run)
    this.#lines.set(run.principal, line)
    this.#size += 1
  }

  remove(run: WaitingRun): void {
    const line = this.#lines.get(run.principal)
    if (!line?.delete(run)) return
    this.#size -= 1
    this.#lines.delete(run.principal)
    // Among principals with equally many runs, the one that was served last comes last.
    if (line.size > 0) this.#lines.set(run.principal, line)
  }

  /**
   * Finds the first run of the principal with the fewest active runs. `countActive` is undefined
   * for a principal that may not start one.
   */
  findNext(countActive: (principal: string) => number | undefined): WaitingRun | undefined {
    let fewest = Infinity
    let next: WaitingRun | undefined
    for (const [principal, line] of this.#lines) {
      const active = countActive(principal)
      if (active === undefined || active >= fewest) continue
      fewest = active
      ;[next] = line
    }
    return next
  }

  /**
   * Finds the run that makes way for one of a principal: the last one of the principal with the
   * most waiting runs, if it would still have at least as many.
   */
  findDisplaced(principal: string): WaitingRun | undefined {
    let most: Set<WaitingRun> | undefined
    for (const line of this.#lines.values()) if (line.size > (most?.size ?? 0)) most = line
    if (!most || most.size <= this.count(principal) + 1) return undefined
    return [...most].at(-1)
  }
}
