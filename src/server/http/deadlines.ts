/** Many deadlines with one timer, because one timer per request is too expensive. */
export interface Deadlines {
  /** Calls `late` after the deadline unless the returned function is called before. */
  schedule(onExpired: () => void): () => void
}

/** All deadlines have the same duration. They fire slightly late. */
export function makeDeadlines(afterMs: number, closing: AbortSignal): Deadlines {
  const waiting = new Map<object, { at: number; onExpired: () => void }>()
  const expire = () => {
    const now = performance.now()
    for (const [key, { at, onExpired }] of waiting) {
      // Entries are in the order of their deadlines.
      if (at > now) return
      waiting.delete(key)
      onExpired()
    }
  }
  const timer = setInterval(expire, Math.max(20, Math.min(500, afterMs / 4))).unref()
  closing.addEventListener('abort', () => clearInterval(timer), { once: true })
  return {
    schedule(onExpired) {
      const key = {}
      waiting.set(key, { at: performance.now() + afterMs, onExpired })
      return () => void waiting.delete(key)
    },
  }
}
