import { ConnectionError } from './errors.ts'

/** How long something may take, and who else may end it. */
export interface Deadline {
  readonly signal: AbortSignal
  readonly leftMs: number
  /** What is to be thrown for what a fetch threw. */
  explain: (thrown: unknown) => unknown
  /** Starts the time anew: something came. */
  renew: () => void
  release(): void
}

/** What a timer can count; longer is for ever. */
const LONGEST_MS = 2 ** 31 - 1

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
    if (timeoutMs > LONGEST_MS) return
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
    get leftMs() {
      return endsAt - Date.now()
    },
    explain(thrown) {
      if (caller?.aborted) return caller.reason
      if (!isLate) return thrown
      return new ConnectionError(`No answer within ${timeoutMs} ms`, { problem: 'timeout' })
    },
    renew,
    release() {
      clearTimeout(timer)
      caller?.removeEventListener('abort', onAbort)
    },
  }
}

/** Waits, unless the time is up before. */
export async function waitFor(ms: number, { signal, explain }: Deadline): Promise<void> {
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
