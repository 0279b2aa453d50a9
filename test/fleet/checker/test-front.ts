import type { RunCall } from '../../../src/core/runs/run-call.ts'
import type { Services } from '../../../src/core/services.ts'
import { toSkillsError } from '../../../src/errors.ts'
import type { Engine } from '../../../src/fleet/engine/engine.ts'
import { openEngine } from '../../../src/fleet/engine/open-engine.ts'
import { CallInbox } from '../../../src/fleet/front/call-inbox.ts'
import { FleetCaller } from '../../../src/fleet/front/fleet-caller.ts'
import { FleetQueue } from '../../../src/fleet/front/fleet-queue.ts'
import { Workers } from '../../../src/fleet/front/workers.ts'
import { Heartbeat } from '../../../src/fleet/node/heartbeat.ts'
import { createIdentity } from '../../../src/fleet/node/identity.ts'
import { RunCallEnds } from '../../../src/fleet/node/run-call-ends.ts'
import { openObjects } from '../../../src/fleet/objects/open-objects.ts'
import { openHistory } from './history.ts'

const ENGINE_PATIENCE_MS = 30_000
const METHOD = {
  name: 'run_code',
  effect: 'run',
  load: () => {
    throw new Error('a front performs no runs')
  },
} as const

/** What a stub run does: it waits, and returns `data` with its result. */
export interface StubParams {
  ms: number
  data?: string
  /** Characters of the result. */
  size?: number
}

/** A front of a fleet, without HTTP. */
export interface TestFront {
  engine: Engine
  workers: Workers
  ends: RunCallEnds
  /** Runs a stub for some time. Returns `completed`, or the code of the error. */
  run(call: string, ms: number, signal?: AbortSignal): Promise<string>
  /** Performs a call. Returns its result, or throws. */
  perform(call: RunCall, params: StubParams): Promise<unknown>
  close(): Promise<void>
}

/** Calls that a front in a process of its own performs. */
export interface FrontTask {
  calls: string[]
  ms: number
}

export interface TestFrontOptions {
  /** Folder of the history. */
  dir: string
  /** Calls that may wait for a place. */
  waiting?: number
  /** Time that it waits for an engine that is away. */
  patienceMs?: number
  /** Changes what the engine does. */
  wrapEngine?: (engine: Engine) => Engine
}

export async function openTestFront(
  url: string,
  name: string,
  {
    dir,
    waiting = 10_000,
    patienceMs = ENGINE_PATIENCE_MS,
    wrapEngine = (engine) => engine,
  }: TestFrontOptions,
): Promise<TestFront> {
  const engine = wrapEngine(await openEngine({ servers: url, name, tenant: 'main', patienceMs }))
  const identity = createIdentity(name)
  const objects = openObjects(engine, 'data')
  const workers = new Workers(engine, name, { pool: 'default' })
  const inbox = new CallInbox(engine, name)
  const ends = new RunCallEnds({ engine, identity, objects })
  const services = { engine, identity, workers, inbox, ends, enginePatienceMs: patienceMs, objects }
  const caller = new FleetCaller({ ...services, catalog: { revision: 0 } })
  const runQueue = new FleetQueue({ waiting, perCaller: undefined, hasSeveralCallers: false })
  workers.onChange(() => runQueue.setCapacity(workers.capacity))
  const note = openHistory(dir, name)
  const heartbeat = startHeartbeat(engine, name, identity.start)
  const perform = async (call: RunCall, params: StubParams) =>
    await caller.perform({} as Services, METHOD, { params, call: { runQueue, ...call } })
  return {
    engine,
    workers,
    ends,
    perform,
    async run(id, ms, signal) {
      const call: RunCall = {
        env: {},
        cwd: '/',
        runId: id,
        caller: { name: 'test' },
        ...(signal && { signal }),
      }
      const entry = { call: id, node: name }
      note({ t: 'asked', ...entry, at: Date.now() })
      const answer = await perform(call, { ms }).then(
        (result) => ({ outcome: (result as { status: string }).status, result }),
        (error: unknown) => ({ outcome: toSkillsError(error).code }),
      )
      note({ t: 'answered', ...entry, ...answer, at: Date.now() })
      return answer.outcome
    },
    async close() {
      heartbeat.stop()
      workers.stop()
      inbox.stop()
      await engine.close()
    },
  }
}

function startHeartbeat(engine: Engine, node: string, start: string): Heartbeat {
  return new Heartbeat(engine, `hb.f.${node}`, (beat) => ({
    v: '1.0',
    role: 'front',
    node,
    start,
    beat,
    build: 'test',
    waiting: 0,
    running: 0,
    isDraining: false,
  }))
}

/** Performs calls in a process of its own, then ends it. */
export async function runAndExit(front: TestFront, { calls, ms }: FrontTask): Promise<void> {
  await Promise.all(calls.map(async (call) => await front.run(call, ms)))
  await front.close()
  process.disconnect?.()
}
