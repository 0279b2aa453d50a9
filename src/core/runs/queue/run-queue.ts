import { cancelledError, SkillsError } from '../../../errors.ts'
import { RecentPrincipals } from './recent-principals.ts'
import { WaitingRuns, type WaitingRun } from './waiting-runs.ts'

/** Maximum of concurrent and of waiting runs. */
export interface RunQueueLimits {
  running: number
  waiting: number
  /** Maximum of concurrent runs of one principal; by default the same as of all. */
  perPrincipal?: number | undefined
}

/** The slot of a run. */
export interface RunSlot {
  /** True if runs of other principals get the processor first. */
  readonly hasLowPriority: boolean
  /** Call once. */
  readonly release: () => void
}

/** A queue of runs. */
export interface RunQueue {
  readonly running: number
  readonly waiting: number
  readonly isClosed: boolean
  /** Undefined if the queue does not report its limits. */
  readonly limits?: RunQueueLimits
  /**
   * Resolves when the run may start. Throws `run/busy`, or `run/cancelled` if `signal` aborts.
   * Principals share the queue fairly; runs without one count as those of one principal. A
   * principal can have a maximum of concurrent runs of its own.
   */
  acquire(signal: AbortSignal, principal?: string, maxRuns?: number): Promise<RunSlot>
  /** Takes a slot for a run that is under way already, even if none is free. */
  occupy?(principal?: string): RunSlot
  /** Rejects all waiting and all later runs. */
  close(): void
  /** Changes the limits. Runs that wait already stay. */
  setLimits?(limits: RunQueueLimits): void
}

/** Estimated duration of a run before any has ended. */
const INITIAL_ESTIMATE_MS = 500
const MIN_RETRY_MS = 100
const MAX_RETRY_MS = 60_000

/**
 * Limits concurrent runs. A free slot goes to the principal with the fewest runs, and among its
 * runs to the one that waited longest. If too many wait, the principal with the most waiting runs
 * loses its last one to a principal with fewer; otherwise the new run is rejected. Beside other
 * principals, the further runs of one have a low priority.
 */
export class BoundedRunQueue implements RunQueue {
  #limits: RunQueueLimits
  #queue = new WaitingRuns()
  /** Maximum of concurrent runs of principals that have one of their own. */
  #shares = new Map<string, number>()
  /** Concurrent runs by principal. */
  #active = new Map<string, number>()
  #recent: RecentPrincipals
  #running = 0
  #isClosed = false
  #averageMs = INITIAL_ESTIMATE_MS

  constructor(limits: RunQueueLimits, now: () => number = performance.now.bind(performance)) {
    this.#limits = limits
    this.#recent = new RecentPrincipals(now)
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    return this.#queue.size
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  get limits(): RunQueueLimits {
    return this.#limits
  }

  async acquire(signal: AbortSignal, principal = '', maxRuns?: number): Promise<RunSlot> {
    if (maxRuns === undefined) this.#shares.delete(principal)
    else this.#shares.set(principal, maxRuns)
    if (this.#isClosed) throw this.#createBusyError(principal)
    if (signal.aborted) throw cancelledError()
    this.#recent.add(principal)
    if (this.#running < this.#limits.running && this.#hasShare(principal)) {
      return this.#takeSlot(principal)
    }
    if (this.#queue.size >= this.#limits.waiting) {
      const displaced = this.#queue.findDisplaced(principal)
      if (!displaced) throw this.#createBusyError(principal)
      displaced.refuse(this.#createBusyError(displaced.principal))
    }
    return await this.#waitForSlot(signal, principal)
  }

  occupy(principal = ''): RunSlot {
    return this.#takeSlot(principal)
  }

  setLimits(limits: RunQueueLimits): void {
    this.#limits = limits
    this.startWaiting()
  }

  close(): void {
    this.#isClosed = true
    for (const waiting of this.#queue.list()) {
      waiting.refuse(this.#createBusyError(waiting.principal))
    }
  }

  /** Concurrent runs of a principal. */
  protected countActive(principal: string): number {
    return this.#active.get(principal) ?? 0
  }

  #getShare(principal: string): number {
    const { running, perPrincipal = running } = this.#limits
    return this.limitShare(principal, this.#shares.get(principal) ?? perPrincipal)
  }

  /** True if the principal may start one more run. */
  #hasShare(principal: string): boolean {
    return this.countActive(principal) < this.#getShare(principal)
  }

  #takeSlot(principal: string): RunSlot {
    const hasLowPriority = this.#makesWay(principal)
    this.#running += 1
    this.#active.set(principal, this.countActive(principal) + 1)
    const startedAt = performance.now()
    return {
      hasLowPriority,
      release: () => {
        this.#running -= 1
        const left = this.countActive(principal) - 1
        if (left > 0) this.#active.set(principal, left)
        else this.#active.delete(principal)
        this.#recent.add(principal)
        this.#averageMs = this.#averageMs * 0.8 + (performance.now() - startedAt) * 0.2
        this.startWaiting()
      },
    }
  }

  /** True if a principal has more than its next run while others use the queue. */
  #makesWay(principal: string): boolean {
    const others = this.countActive(principal) + this.#queue.count(principal)
    return others > 0 && (this.#hasOtherActive(principal) || this.#recent.hasOther(principal))
  }

  #hasOtherActive(principal: string): boolean {
    return this.#active.size > (this.#active.has(principal) ? 1 : 0)
  }

  /** Returns the maximum of concurrent runs of a principal now: at most its share. */
  protected limitShare(_principal: string, share: number): number {
    return share
  }

  /** Starts the runs that may start now. */
  protected startWaiting(): void {
    while (this.#running < this.#limits.running) {
      const next = this.#queue.findNext((principal) =>
        this.#hasShare(principal) ? this.countActive(principal) : undefined,
      )
      if (!next) return
      next.start()
    }
  }

  async #waitForSlot(signal: AbortSignal, principal: string): Promise<RunSlot> {
    return await new Promise<RunSlot>((resolve, reject) => {
      const leaveLine = () => {
        this.#queue.remove(waiting)
        signal.removeEventListener('abort', giveUp)
      }
      const waiting: WaitingRun = {
        principal,
        start: () => {
          leaveLine()
          resolve(this.#takeSlot(principal))
        },
        refuse: (error) => {
          leaveLine()
          reject(error)
        },
      }
      const giveUp = () => waiting.refuse(cancelledError())
      signal.addEventListener('abort', giveUp, { once: true })
      this.#queue.add(waiting)
    })
  }

  #createBusyError(principal: string): SkillsError {
    const before = this.#queue.count(principal) + 1
    const share = Math.min(this.#limits.running, this.#getShare(principal))
    const ms = (this.#averageMs * before) / share
    const retryAfterMs = Math.round(Math.min(MAX_RETRY_MS, Math.max(MIN_RETRY_MS, ms)))
    const reason = this.#isClosed ? 'The runtime is shutting down' : 'Too many runs are waiting'
    return new SkillsError('run/busy', `${reason}; try again later`, {
      data: { retry_after_ms: retryAfterMs },
    })
  }
}
