import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunCall } from '../../core/runs/run-call.ts'
import type { CallInbox } from '../front/call-inbox.ts'
import type { Workers } from '../front/workers.ts'
import { encodeMessage } from '../messages/encoding.ts'
import type { JobEnding } from './end-job.ts'
import { readDetachedRun, readJobHolder, type JobReader } from './read-job.ts'

export interface JobFollowing extends JobEnding, JobReader {
  inbox: CallInbox
  workers: Workers
}

export interface FollowedJob {
  id: string
  /** Aborted when the front stops. The run continues. */
  signal: AbortSignal
  onEvent: RunCall['onEvent']
  /** Called once, with undefined if the run has no result. Not called after the signal. */
  onEnd: (result: unknown) => void
}

const POLL_MS = 1000

/**
 * Follows a detached run for its front: passes on its events, and ends it when its worker is gone. Never
 * throws.
 */
export async function followJob(services: JobFollowing, job: FollowedJob): Promise<void> {
  const token = randomBytes(12).toString('hex')
  let after = 0
  let wake = new AbortController()
  const close = services.inbox.open(token, (arrival) => {
    if (arrival.t === 'end') wake.abort()
    if (arrival.t !== 'fact' || arrival.n <= after) return
    after = arrival.n
    job.onEvent?.(arrival.fact)
  })
  try {
    while (!job.signal.aborted) {
      // The engine may be away: the next try is soon.
      if (await isOver(services, job, { token, after }).catch(() => false)) return
      wake = new AbortController()
      const signal = AbortSignal.any([job.signal, wake.signal])
      await sleep(POLL_MS, undefined, { signal }).catch(() => {})
    }
  } finally {
    close()
  }
}

/** True if the run has ended, and its end was reported. */
async function isOver(
  services: JobFollowing,
  { id, onEnd }: FollowedJob,
  { token, after }: { token: string; after: number },
): Promise<boolean> {
  const { engine, identity, workers, ends } = services
  const run = await readDetachedRun(services, id)
  if (!run || run.end) {
    onEnd(run?.end?.result)
    return true
  }
  const holder = await readJobHolder(engine, id)
  if (!holder) return false
  const { node, start } = holder
  if (engine.health.isSteady && workers.isThere(node, start) === false) {
    await ends.declareInterrupted(id, `The worker "${node}" is gone`)
    return false
  }
  const body = { op: 'follow', call: id, front: identity.name, token, after }
  engine.publish(`w.${node}.ctl`, encodeMessage(body))
  return false
}
