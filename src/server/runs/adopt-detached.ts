import type { DetachedRun } from '../../core/runs/detached/detached-run.ts'
import { ANONYMOUS } from '../auth/caller.ts'
import type { ServerContext } from '../server-context.ts'

const POLL_MS = 1000

/**
 * Counts detached runs of an earlier server among those of this one, so that a restart gives no
 * caller more runs at once, or a larger quota. Returns a function that ends the observation.
 */
export async function adoptDetachedRuns(
  context: Pick<ServerContext, 'runtime' | 'runQueue' | 'quotas' | 'tokens'>,
): Promise<() => void> {
  const store = await context.runtime.detached()
  const adopted = new Map<string, () => void>()
  for (const run of await store.list()) {
    if (!isServed(run) || !isRunning(run) || run.isFollowed === true) continue
    const slot = context.runQueue.occupy?.(run.start.principal)
    adopted.set(run.start.run_id, () => slot?.release())
  }
  const releaseEnded = async () => {
    for (const [id, release] of adopted) {
      const run = await store.find(id)
      if (run && isRunning(run)) continue
      adopted.delete(id)
      release()
      if (run) chargeUsage(context, run)
    }
  }
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  // The next poll begins after the last one: a store may be on another machine.
  const pollLater = () => {
    if (isStopped || adopted.size === 0) return
    timer = setTimeout(
      () =>
        void releaseEnded()
          .catch(() => {})
          .then(pollLater),
      POLL_MS,
    ).unref()
  }
  pollLater()
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}

/** A caller without a token is named by its address, and has the quotas of the configuration. */
function chargeUsage(
  { quotas, tokens }: Pick<ServerContext, 'quotas' | 'tokens'>,
  { start: { principal, who }, end }: DetachedRun,
): void {
  const limits = tokens?.findLimits?.(principal)
  const caller = { ...ANONYMOUS, name: who.caller, account: principal, limits }
  quotas.charge(caller, 'cpuMs', end?.usage?.cpu_ms ?? 0)
  quotas.charge(caller, 'blobBytes', end?.usage?.blob_bytes ?? 0)
}

function isServed({ start }: DetachedRun): boolean {
  return start.who.door === 'http' || start.who.door === 'mcp'
}

function isRunning({ end, isLost }: DetachedRun): boolean {
  return end === undefined && !isLost
}
