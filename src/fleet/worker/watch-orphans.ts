import type { Engine } from '../engine/engine.ts'
import type { AcceptedCall } from './accepted-call.ts'

const CHECK_MS = 1000
/** A caller can send its call to another front meanwhile, and follow the run. */
const ORPHAN_GRACE_MS = 10_000

/**
 * Cancels calls whose fronts were not heard for a while, because no caller waits for them. Detached
 * calls continue. Returns a function that ends the watch.
 */
export function watchOrphans(engine: Engine, calls: ReadonlyMap<string, AcceptedCall>): () => void {
  const heard = new Map<string, number>()
  const end = engine.subscribe('hb.f.*', ({ subject }) => {
    heard.set(subject.slice('hb.f.'.length), performance.now())
  })
  const timer = setInterval(() => {
    // While the engine is away, no front can be heard.
    if (!engine.health.isSteady) return
    const now = performance.now()
    for (const call of calls.values()) {
      if (call.isEnded || call.isDetached) continue
      const times = call.fronts.map((front) => heard.get(front) ?? 0)
      const heardAt = Math.max(call.heardAt, engine.health.backAt, ...times)
      if (now - heardAt > ORPHAN_GRACE_MS) call.cancelling.abort()
    }
    for (const [front, at] of heard) if (now - at > ORPHAN_GRACE_MS * 10) heard.delete(front)
  }, CHECK_MS)
  return () => {
    clearInterval(timer)
    end()
  }
}
