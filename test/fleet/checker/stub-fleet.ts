import { fork, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RunCall } from '../../../src/core/runs/run-call.ts'
import type { Services } from '../../../src/core/services.ts'
import { toSkillsError } from '../../../src/errors.ts'
import type { Engine } from '../../../src/fleet/engine/engine.ts'
import { initAssets } from '../../../src/fleet/engine/init-assets.ts'
import { openEngine } from '../../../src/fleet/engine/open-engine.ts'
import { CallInbox } from '../../../src/fleet/front/call-inbox.ts'
import { FleetCaller } from '../../../src/fleet/front/fleet-caller.ts'
import { Workers } from '../../../src/fleet/front/workers.ts'
import { createIdentity } from '../../../src/fleet/node/identity.ts'
import { Heartbeat } from '../../../src/fleet/node/heartbeat.ts'
import { RunCallEnds } from '../../../src/fleet/node/run-call-ends.ts'
import { openObjects } from '../../../src/fleet/objects/open-objects.ts'
import { openHistory } from './history.ts'

const WORKER = fileURLToPath(new URL('stub-worker.ts', import.meta.url))
const DAY_MS = 86_400_000
const METHOD = {
  name: 'run_code',
  effect: 'run',
  load: () => {
    throw new Error('a front performs no runs')
  },
} as const

/** A front of a fleet in this process. */
export interface TestFront {
  engine: Engine
  workers: Workers
  ends: RunCallEnds
  /** Runs a stub for some time. Returns `completed`, or the code of the error. */
  run(call: string, ms: number, signal?: AbortSignal): Promise<string>
  close(): Promise<void>
}

/** Creates the streams, as `skills fleet init` does. */
export async function initFleet(url: string): Promise<void> {
  const engine = await openEngine({ servers: url, name: 'init', tenant: 'main', patienceMs: 5000 })
  const lifetimes = { runsMs: DAY_MS, blobsMs: DAY_MS, outputsMs: DAY_MS }
  await initAssets(engine, { lifetimes, replicas: 1 })
  await engine.close()
}

export async function openTestFront(url: string, name: string, dir: string): Promise<TestFront> {
  const enginePatienceMs = 30_000
  const options = { servers: url, name, tenant: 'main', patienceMs: enginePatienceMs }
  const engine = await openEngine(options)
  const identity = createIdentity(name)
  const objects = openObjects(engine, 'data')
  const workers = new Workers(engine, name, { lostAfterMs: 5000, goneAfterMs: 750 })
  const inbox = new CallInbox(engine, name)
  const ends = new RunCallEnds({ engine, identity, objects })
  const services = { engine, identity, workers, inbox, ends, enginePatienceMs, objects }
  const caller = new FleetCaller({ ...services, catalog: { revision: 0 } })
  const note = openHistory(dir, name)
  const heartbeat = new Heartbeat(engine, `hb.f.${name}`, (beat) => ({
    v: '1.0',
    role: 'front',
    node: name,
    start: identity.start,
    beat,
    build: 'test',
    waiting: 0,
    running: 0,
    isDraining: false,
  }))
  return {
    engine,
    workers,
    ends,
    async run(id, ms, signal) {
      const call: RunCall = { env: {}, cwd: '/', runId: id, caller: 'test', ...(signal && { signal }) }
      note({ t: 'asked', call: id, at: Date.now() })
      const outcome = await caller
        .perform({} as Services, METHOD, { params: { ms }, call })
        .then((result) => (result as { status: string }).status)
        .catch((error: unknown) => toSkillsError(error).code)
      note({ t: 'answered', call: id, outcome, at: Date.now() })
      return outcome
    },
    async close() {
      heartbeat.stop()
      workers.stop()
      inbox.stop()
      await engine.close()
    },
  }
}

/** Starts a worker in a process of its own. */
export async function startStubWorker(
  url: string,
  name: string,
  { dir, places = 4 }: { dir: string; places?: number },
): Promise<ChildProcess> {
  const child = fork(WORKER, [url, name, String(places), dir], { execArgv: ['--import', 'tsx'] })
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve())
    child.once('exit', (code) => reject(new Error(`the worker ended with ${code}`)))
  })
  return child
}

export function createHistoryFolder(): { dir: string; remove: () => void } {
  const dir = mkdtempSync(join(tmpdir(), 'skills-history-'))
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) }
}
