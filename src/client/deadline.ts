import { ConnectionError } from './errors.ts'

/** A timeout combined with the caller's signal. */
export interface Deadline {
  readonly signal: AbortSignal
  readonly remainingMs: number
  /** Maps an error thrown by `fetch` to the error to throw. */
  toError: (thrown: unknown) => unknown
  /** Restarts the timeout after progress. */
  restart: () => void
  release(): void
}

/** Largest delay of a JavaScript timer; a longer timeout never expires. */
const MAX_TIMER_MS = 2 ** 31 - 1

export function startDeadline(timeoutMs: number, caller: AbortSignal | undefined): Deadline {
  if (!(timeoutMs > 0)) throw new RangeError(`Expected a timeout above 0 ms, got ${timeoutMs}`)
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
      return new ConnectionError(`No response within ${timeoutMs} ms`, { problem: 'timeout' })
    },
    restart: renew,
    release() {
      clearTimeout(timer)
      caller?.removeEventListener('abort', onAbort)
    },
  }
}

/** Waits for some time; throws if the deadline expires first. */
export async function sleepWithin(
  ms: number,
  { signal, toError: explain }: Pick<Deadline, 'signal' | 'toError'>,
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
