import { setMaxListeners } from 'node:events'

/** A signal that is aborted when one of several is. Let go of it: some of them outlive it by far. */
export function linkSignals(signals: readonly AbortSignal[]): {
  signal: AbortSignal
  release(): void
} {
  const own = new AbortController()
  // One request may be a batch of runs, and each of them listens.
  setMaxListeners(0, ...signals)
  const abort = () => own.abort()
  for (const each of signals) {
    if (each.aborted) abort()
    each.addEventListener('abort', abort, { once: true })
  }
  return {
    signal: own.signal,
    release() {
      for (const each of signals) each.removeEventListener('abort', abort)
    },
  }
}
