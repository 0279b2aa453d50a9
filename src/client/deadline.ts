import { ConnectionError } from './errors.ts'

/** How long something may take, and who else may end it. */
export interface Deadline {
  readonly signal: AbortSignal
  readonly remainingMs: number
  /** What is to be thrown for what a fetch threw. */
  toError: (thrown: unknown) => unknown
  /** Starts the time anew: something came. */
  restart: () => void
  release(): void
}

/** What a timer can count; longer is for ever. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Starts the time. */
export function startDeadline(timeoutMs: number, caller: AbortSignal | undefined): Deadline {
  if (!(timeoutMs > 0)) throw new RangeError(`Expected a time above 0 ms, got ${timeoutMs}`)
  const controller = new AbortController()
  let isLate = false
  let endsAt = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const onAbort = () => controller.abort(caller?.reason)
  const renew = () => {
    clearTimeout(timer)
    endsAt = Date.now() + timeoutMs
    if (timeoutMs > MAX_TIMER_MS) return
    timer = setTimeout(() => {
      isLate = true
      controller.abort()
    }, timeoutMs)
  }
  renew()
  if (caller?.aborted) onAbort()
  else caller?.addEventListener('abort', onAbort, { once: true })
  return {
    signal: controller.signal,
    get remainingMs() {
      return endsAt - Date.now()
    },
    toError(thrown) {
      if (caller?.aborted) return caller.reason
      if (!isLate) return thrown
      return new ConnectionError(`No answer within ${timeoutMs} ms`, { problem: 'timeout' })
    },
    restart: renew,
    release() {
      clearTimeout(timer)
      caller?.removeEventListener('abort', onAbort)
    },
  }
}

/** Waits, unless the time is up before. */
export async function sleepWithin(
  ms: number,
  { signal, toError: explain }: Deadline,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    if (signal.aborted) return reject(explain(signal.reason))
    const onAbort = () => {
      clearTimeout(timer)
      reject(explain(signal.reason))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal.addEventListener('abort', onAbort, { once: true })
  })
}
