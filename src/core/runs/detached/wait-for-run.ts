import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '../../services.ts'
import type { RunCall } from '../run-call.ts'
import { findRun, type FoundRun } from './find-run.ts'

/** Maximum time of one answer. */
export const MAX_WAIT_MS = 60_000
const POLL_MS = 100

/** Waits until a run has ended or the time is over. */
export async function waitForRun(
  services: Pick<Services, 'runs' | 'detached'>,
  { id, waitMs }: { id: string; waitMs: number },
  { caller, signal, closing }: Pick<RunCall, 'caller' | 'signal' | 'closing'>,
): Promise<FoundRun> {
  const until = performance.now() + waitMs
  for (;;) {
    const found = await findRun(services, id, caller)
    const remaining = until - performance.now()
    const isGone = signal?.aborted === true || closing?.aborted === true
    if (!found.isRunning || remaining <= 0 || isGone) return found
    await sleep(Math.min(POLL_MS, remaining))
  }
}
