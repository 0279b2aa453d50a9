import { setTimeout as sleep } from 'node:timers/promises'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import type { Services } from '../../../src/core/services.ts'
import type { NatsEngine } from '../../../src/fleet/engine/open-engine.ts'
import { CallInbox } from '../../../src/fleet/front/call-inbox.ts'
import { FleetCaller } from '../../../src/fleet/front/fleet-caller.ts'
import { FleetQueue } from '../../../src/fleet/front/fleet-queue.ts'
import { Workers } from '../../../src/fleet/front/workers.ts'
import { PROTOCOL } from '../../../src/fleet/messages/node-state.ts'
import { Heartbeat } from '../../../src/fleet/node/heartbeat.ts'
import { createIdentity } from '../../../src/fleet/node/identity.ts'
import { RunCallEnds } from '../../../src/fleet/node/run-call-ends.ts'
import { openObjects } from '../../../src/fleet/objects/open-objects.ts'
import type { BenchStub } from './stub-worker.ts'

const PATIENCE_MS = 30_000
const MAX_WAITING = 10_000

const METHOD = {
  name: 'run_code',
  effect: 'run',
  load: () => {
    throw new Error('a front performs no runs')
  },
} as const
/** A stub uses no skills, no session and no secrets, for which services are needed. */
const NO_SERVICES = {} as Services

/** A front for stub runs, without HTTP. */
export interface StubFront {
  /** Performs a stub run on a worker, and resolves with its stored end. */
  perform(stub: BenchStub): Promise<void>
  /** Waits until exactly as many workers can be used. */
  waitForWorkers(count: number, signal: AbortSignal): Promise<void>
  stop(): void
}

export function openStubFront(engine: NatsEngine): StubFront {
  const name = 'bench'
  const identity = createIdentity(name)
  const objects = openObjects(engine, 'data')
  const workers = new Workers(engine, name, { pool: 'bench' })
  const inbox = new CallInbox(engine, name)
  const ends = new RunCallEnds({ engine, identity, objects })
  const services = { engine, identity, workers, inbox, ends, objects }
  const options = { ...services, enginePatienceMs: PATIENCE_MS, catalog: { revision: 0 } }
  const caller = new FleetCaller(options)
  const limits = { waiting: MAX_WAITING, perCaller: undefined, hasSeveralCallers: false }
  const runQueue = new FleetQueue(limits)
  workers.onChange(() => runQueue.setCapacity(workers.capacity))
  const heartbeat = startHeartbeat(engine, identity, runQueue)
  return {
    async perform(params) {
      const call = { env: {}, cwd: '/', runId: createRunId(), caller: { name: 'bench' }, runQueue }
      await caller.perform(NO_SERVICES, METHOD, { params, call })
    },
    async waitForWorkers(count, signal) {
      while (workers.usable.length !== count) await sleep(20, undefined, { signal })
    },
    stop() {
      heartbeat.stop()
      workers.stop()
      inbox.stop()
    },
  }
}

function startHeartbeat(
  engine: NatsEngine,
  { name: node, start }: { name: string; start: string },
  runQueue: FleetQueue,
): Heartbeat {
  return new Heartbeat(engine, `hb.f.${node}`, (beat) => ({
    v: PROTOCOL,
    role: 'front',
    node,
    start,
    beat,
    build: 'bench',
    waiting: runQueue.waiting,
    running: runQueue.running,
    isDraining: false,
  }))
}
