import { SkillsError } from '../errors.ts'

/** How many runs may be under way, and how many may wait. */
export interface GateLimits {
  running: number
  waiting: number
}

/** Lets so many runs go on at once; the others wait in line, and too many are sent away. */
export interface RunGate {
  readonly running: number
  readonly waiting: number
  /** Resolves when the run may start. Throws `run/busy`, or the signal's reason where it is over. */
  enter(signal: AbortSignal): Promise<Leave>
  /** Sends away all that wait and all that come. */
  close(): void
}

/** To be called once, when the run is over. */
export type Leave = () => void

interface Waiting {
  start(): void
  refuse(error: SkillsError): void
}

/** What a run is taken to last before any has ended. */
const FIRST_GUESS_MS = 500
const MIN_RETRY_MS = 100
const MAX_RETRY_MS = 60_000

/** Makes a gate. */
export function makeRunGate(limits: GateLimits): RunGate {
  const line = new Set<Waiting>()
  let running = 0
  let closed = false
  let usualMs = FIRST_GUESS_MS

  const begin = (): Leave => {
    running += 1
    const startedAt = performance.now()
    return () => {
      running -= 1
      usualMs = usualMs * 0.8 + (performance.now() - startedAt) * 0.2
      const [next] = line
      if (next && !closed) next.start()
    }
  }
  const busy = () => {
    const ms = (usualMs * (line.size + 1)) / limits.running
    const retry = Math.round(Math.min(MAX_RETRY_MS, Math.max(MIN_RETRY_MS, ms)))
    return tooBusy(closed ? 'The runtime is shutting down' : 'Too many runs are waiting', retry)
  }

  return {
    get running() {
      return running
    },
    get waiting() {
      return line.size
    },
    async enter(signal) {
      if (signal.aborted) throw cancelled()
      if (closed) throw busy()
      if (running < limits.running) return begin()
      if (line.size >= limits.waiting) throw busy()
      return await new Promise<Leave>((resolve, reject) => {
        const leaveLine = () => {
          line.delete(waiting)
          signal.removeEventListener('abort', giveUp)
        }
        const waiting: Waiting = {
          start() {
            leaveLine()
            resolve(begin())
          },
          refuse(error) {
            leaveLine()
            reject(error)
          },
        }
        const giveUp = () => waiting.refuse(cancelled())
        signal.addEventListener('abort', giveUp, { once: true })
        line.add(waiting)
      })
    },
    close() {
      closed = true
      for (const waiting of line) waiting.refuse(busy())
    },
  }
}

function tooBusy(message: string, retryAfterMs: number): SkillsError {
  return new SkillsError('run/busy', `${message}; try again later`, {
    data: { retry_after_ms: retryAfterMs },
  })
}

function cancelled(): SkillsError {
  return new SkillsError('run/cancelled', 'The run was cancelled')
}
