import { setMaxListeners } from 'node:events'

/**
 * Creates a signal that aborts when any of several does. Call `release`, because some of them live
 * much longer.
 */
export function linkSignals(signals: readonly AbortSignal[]): {
  signal: AbortSignal
  release(): void
} {
  const controller = new AbortController()
  // A request can be a batch of runs, each of which adds a listener.
  setMaxListeners(0, ...signals)
  const abort = () => controller.abort()
  for (const each of signals) {
    if (each.aborted) abort()
    each.addEventListener('abort', abort, { once: true })
  }
  return {
    signal: controller.signal,
    release() {
      for (const each of signals) each.removeEventListener('abort', abort)
    },
  }
}
