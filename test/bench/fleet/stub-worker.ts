import { setTimeout as sleep } from 'node:timers/promises'
import { BoundedRunQueue } from '../../../src/core/runs/queue/run-queue.ts'
import type { NatsEngine } from '../../../src/fleet/engine/open-engine.ts'
import type { CallAnswer, StartMessage } from '../../../src/fleet/messages/call-messages.ts'
import { createIdentity } from '../../../src/fleet/node/identity.ts'
import { RunCallEnds } from '../../../src/fleet/node/run-call-ends.ts'
import { openObjects } from '../../../src/fleet/objects/open-objects.ts'
import type { AcceptedCall } from '../../../src/fleet/worker/accepted-call.ts'
import { Worker } from '../../../src/fleet/worker/worker.ts'

/** Runs at a time of a stub worker. */
export const STUB_PLACES = 4
/** Runs that wait at a stub worker, as by default at a real one. */
const LINE = 2
const MAX_STUB_MS = 1000

/** Parameters of a stub run. */
export interface BenchStub {
  ms: number
}

/**
 * Opens a worker whose runs only wait: everything but the sandbox is that of a real worker. It executes
 * nothing of callers, and belongs to the tenant of one benchmark.
 */
export function openBenchWorker(engine: NatsEngine, name: string): Worker {
  const identity = createIdentity(name)
  const ends = new RunCallEnds({ engine, identity, objects: openObjects(engine, 'data') })
  const queue = new BoundedRunQueue({ running: STUB_PLACES, waiting: LINE * 100 })
  const perform = async ({ call, params }: StartMessage, accepted: AcceptedCall) => {
    const { signal } = accepted.cancelling
    const slot = await queue.acquire(signal)
    accepted.tell({ type: 'state', run_id: call, state: 'running' })
    await waitAsStub((params as BenchStub).ms)
    slot.release()
    return { result: { status: 'completed' } } satisfies CallAnswer
  }
  return new Worker({
    engine,
    identity,
    places: STUB_PLACES,
    line: LINE,
    reserve: 0,
    pool: 'bench',
    labels: [],
    build: 'bench',
    ends,
    catalog: { revision: 0, waitFor: async () => {} },
    readActiveLogs: async () => undefined,
    perform: async (message, accepted) =>
      await perform(message, accepted).catch((): CallAnswer => ({
        error: { code: 'run/cancelled', message: 'The run was cancelled' },
      })),
  })
}

/** The stub run itself, also for the arm without a fleet. */
export async function waitAsStub(ms: number): Promise<void> {
  await sleep(Math.min(ms, MAX_STUB_MS))
}
