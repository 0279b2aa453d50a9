/** Things that must be over by a certain time, looked at together: a timer for each costs too much. */
export interface Deadlines {
  /** Calls `late` where the answer was not called by then. */
  schedule(late: () => void): () => void
}

/** Deadlines that all lie as far ahead; they are noticed a little later than they pass. */
export function makeDeadlines(afterMs: number, closing: AbortSignal): Deadlines {
  const waiting = new Map<object, { at: number; late: () => void }>()
  const look = () => {
    const now = performance.now()
    for (const [key, { at, late }] of waiting) {
      // In the order in which they were set.
      if (at > now) return
      waiting.delete(key)
      late()
    }
  }
  const timer = setInterval(look, Math.max(20, Math.min(500, afterMs / 4))).unref()
  closing.addEventListener('abort', () => clearInterval(timer), { once: true })
  return {
    schedule(late) {
      const key = {}
      waiting.set(key, { at: performance.now() + afterMs, late })
      return () => void waiting.delete(key)
    },
  }
}
