import { cancelledError, SkillsError } from '../../errors.ts'

/** Maximum of concurrent and of waiting runs. */
export interface RunQueueLimits {
  running: number
  waiting: number
}

/** Releases the slot of a run. Call once. */
export type ReleaseSlot = () => void

/** A queue of runs. */
export interface RunQueue {
  readonly running: number
  readonly waiting: number
  readonly isClosed: boolean
  /** Resolves when the run may start. Throws `run/busy`, or `run/cancelled` if `signal` aborts. */
  acquire(signal: AbortSignal): Promise<ReleaseSlot>
  /** Rejects all waiting and all later runs. */
  close(): void
  /** Changes the limits. Runs that wait already stay. */
  setLimits?(limits: RunQueueLimits): void
}

interface WaitingRun {
  start(): void
  refuse(error: SkillsError): void
}

/** Estimated duration of a run before any has ended. */
const INITIAL_ESTIMATE_MS = 500
const MIN_RETRY_MS = 100
const MAX_RETRY_MS = 60_000

/**
 * Limits concurrent runs. Others wait in order of arrival; above the limit of waiting runs, they
 * are rejected.
 */
export class BoundedRunQueue implements RunQueue {
  #limits: RunQueueLimits
  #queue = new Set<WaitingRun>()
  #running = 0
  #isClosed = false
  #averageMs = INITIAL_ESTIMATE_MS

  constructor(limits: RunQueueLimits) {
    this.#limits = limits
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

  async acquire(signal: AbortSignal): Promise<ReleaseSlot> {
    if (this.#isClosed) throw this.#createBusyError()
    if (signal.aborted) throw cancelledError()
    if (this.#running < this.#limits.running) return this.#takeSlot()
    if (this.#queue.size >= this.#limits.waiting) throw this.#createBusyError()
    return await this.#waitForSlot(signal)
  }

  setLimits(limits: RunQueueLimits): void {
    this.#limits = limits
    while (this.#running < limits.running && this.#startNext());
  }

  close(): void {
    this.#isClosed = true
    for (const waiting of this.#queue) waiting.refuse(this.#createBusyError())
  }

  #takeSlot(): ReleaseSlot {
    this.#running += 1
    const startedAt = performance.now()
    return () => {
      this.#running -= 1
      this.#averageMs = this.#averageMs * 0.8 + (performance.now() - startedAt) * 0.2
      if (this.#running < this.#limits.running) this.#startNext()
    }
  }

  /** Starts the run that waited longest; false if none waits. */
  #startNext(): boolean {
    const [next] = this.#queue
    next?.start()
    return next !== undefined
  }

  async #waitForSlot(signal: AbortSignal): Promise<ReleaseSlot> {
    return await new Promise<ReleaseSlot>((resolve, reject) => {
      const leaveLine = () => {
        this.#queue.delete(waiting)
        signal.removeEventListener('abort', giveUp)
      }
      const waiting: WaitingRun = {
        start: () => {
          leaveLine()
          resolve(this.#takeSlot())
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

  #createBusyError(): SkillsError {
    const ms = (this.#averageMs * (this.#queue.size + 1)) / this.#limits.running
    const retryAfterMs = Math.round(Math.min(MAX_RETRY_MS, Math.max(MIN_RETRY_MS, ms)))
    const reason = this.#isClosed ? 'The runtime is shutting down' : 'Too many runs are waiting'
    return new SkillsError('run/busy', `${reason}; try again later`, {
      data: { retry_after_ms: retryAfterMs },
    })
  }
}
