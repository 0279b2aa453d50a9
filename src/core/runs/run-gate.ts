import { cancelled, SkillsError } from '../../errors.ts'

/** How many runs may be under way, and how many may wait. */
interface GateLimits {
  running: number
  waiting: number
}

/** To be called once, when the run is over. */
export type Leave = () => void

/** Where runs wait for their turn. */
export interface RunQueue {
  readonly running: number
  readonly waiting: number
  readonly isClosed: boolean
  /** Resolves when the run may start. Throws `run/busy`, or `run/cancelled` where it gave up. */
  enter(signal: AbortSignal): Promise<Leave>
  /** Sends away all that wait and all that come. */
  close(): void
}

interface Waiting {
  start(): void
  refuse(error: SkillsError): void
}

/** What a run is taken to last before any has ended. */
const FIRST_GUESS_MS = 500
const MIN_RETRY_MS = 100
const MAX_RETRY_MS = 60_000

/** Lets so many runs go on at once; the others wait in line, and too many are sent away. */
export class RunGate implements RunQueue {
  #limits: GateLimits
  #line = new Set<Waiting>()
  #running = 0
  #isClosed = false
  #usualMs = FIRST_GUESS_MS

  constructor(limits: GateLimits) {
    this.#limits = limits
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    return this.#line.size
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  async enter(signal: AbortSignal): Promise<Leave> {
    if (this.#isClosed) throw this.#busy()
    if (signal.aborted) throw cancelled()
    if (this.#running < this.#limits.running) return this.#begin()
    if (this.#line.size >= this.#limits.waiting) throw this.#busy()
    return await this.#wait(signal)
  }

  close(): void {
    this.#isClosed = true
    for (const waiting of this.#line) waiting.refuse(this.#busy())
  }

  #begin(): Leave {
    this.#running += 1
    const startedAt = performance.now()
    return () => {
      this.#running -= 1
      this.#usualMs = this.#usualMs * 0.8 + (performance.now() - startedAt) * 0.2
      const [next] = this.#line
      next?.start()
    }
  }

  async #wait(signal: AbortSignal): Promise<Leave> {
    return await new Promise<Leave>((resolve, reject) => {
      const leaveLine = () => {
        this.#line.delete(waiting)
        signal.removeEventListener('abort', giveUp)
      }
      const waiting: Waiting = {
        start: () => {
          leaveLine()
          resolve(this.#begin())
        },
        refuse: (error) => {
          leaveLine()
          reject(error)
        },
      }
      const giveUp = () => waiting.refuse(cancelled())
      signal.addEventListener('abort', giveUp, { once: true })
      this.#line.add(waiting)
    })
  }

  #busy(): SkillsError {
    const ms = (this.#usualMs * (this.#line.size + 1)) / this.#limits.running
    const retryAfterMs = Math.round(Math.min(MAX_RETRY_MS, Math.max(MIN_RETRY_MS, ms)))
    const why = this.#isClosed ? 'The runtime is shutting down' : 'Too many runs are waiting'
    return new SkillsError('run/busy', `${why}; try again later`, {
      data: { retry_after_ms: retryAfterMs },
    })
  }
}
