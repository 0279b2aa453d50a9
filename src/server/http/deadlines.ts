/** Many deadlines with one timer, because one timer per request is too expensive. */
export interface Deadlines {
  /** Calls `late` after the deadline unless the returned function is called before. */
  schedule(late: () => void): () => void
}

/** All deadlines have the same duration. They fire slightly late. */
export function makeDeadlines(afterMs: number, closing: AbortSignal): Deadlines {
  const waiting = new Map<object, { at: number; late: () => void }>()
  const look = () => {
    const now = performance.now()
    for (const [key, { at, late }] of waiting) {
      // Entries are in the order of their deadlines.
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
