import type { DetachedRun } from '../../core/runs/detached/detached-run.ts'
import type { ServerContext } from '../server-context.ts'

const POLL_MS = 1000

/**
 * Counts detached runs of an earlier server among those of this one, so that a restart gives no
 * caller more runs at once. Returns a function that ends the observation.
 */
export async function adoptDetachedRuns({
  runtime,
  runQueue,
}: Pick<ServerContext, 'runtime' | 'runQueue'>): Promise<() => void> {
  const store = await runtime.detached()
  const adopted = new Map<string, () => void>()
  for (const run of await store.list()) {
    if (!isServed(run) || !isRunning(run)) continue
    adopted.set(run.start.run_id, runQueue.occupy?.(run.start.principal).release ?? (() => {}))
  }
  const releaseEnded = async () => {
    for (const [id, release] of adopted) {
      const run = await store.find(id)
      if (run && isRunning(run)) continue
      adopted.delete(id)
      release()
    }
    if (adopted.size === 0) clearInterval(timer)
  }
  const timer = setInterval(() => void releaseEnded().catch(() => {}), POLL_MS).unref()
  return () => clearInterval(timer)
}

function isServed({ start }: DetachedRun): boolean {
  return start.who.door === 'http' || start.who.door === 'mcp'
}

function isRunning({ end, isLost }: DetachedRun): boolean {
  return end === undefined && !isLost
}
