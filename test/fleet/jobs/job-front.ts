import { setTimeout as sleep } from 'node:timers/promises'
import type { DetachedRun, DetachedStore } from '../../../src/core/runs/detached/detached-run.ts'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import type { RunCall } from '../../../src/core/runs/run-call.ts'
import { toSkillsError } from '../../../src/errors.ts'
import type { Engine } from '../../../src/fleet/engine/engine.ts'
import { openEngine } from '../../../src/fleet/engine/open-engine.ts'
import { CallInbox } from '../../../src/fleet/front/call-inbox.ts'
import { Workers } from '../../../src/fleet/front/workers.ts'
import { openFleetDetachedStore } from '../../../src/fleet/jobs/fleet-detached-store.ts'
import { readJobKey } from '../../../src/fleet/jobs/job-key.ts'
import { JobSender } from '../../../src/fleet/jobs/job-sender.ts'
import { createIdentity, type NodeIdentity } from '../../../src/fleet/node/identity.ts'
import { RunCallEnds } from '../../../src/fleet/node/run-call-ends.ts'
import { openObjects } from '../../../src/fleet/objects/open-objects.ts'
import { openHistory } from '../checker/history.ts'

export interface JobFrontOptions {
  /** Folder of the history. */
  dir: string
  keyFile?: string | undefined
  maxPerCaller?: number
  jobWaitMs?: number
  wrapEngine?: (engine: Engine) => Engine
}

/** A front that only starts detached runs. */
export interface JobFront {
  engine: Engine
  identity: NodeIdentity
  ends: RunCallEnds
  workers: Workers
  store: DetachedStore
  /** Starts a run of some milliseconds. Returns its id. */
  start(ms: number, call?: StartedCall): Promise<string>
  /** Waits for the end of a run. Returns `completed`, or the code of its error. */
  wait(id: string): Promise<string>
  close(): Promise<void>
}

type StartedCall = Partial<RunCall> & { hasSecrets?: boolean; data?: string }

export async function openJobFront(
  url: string,
  name: string,
  { dir, keyFile, maxPerCaller = 1000, jobWaitMs = 600_000, wrapEngine }: JobFrontOptions,
): Promise<JobFront> {
  const options = { servers: url, name, tenant: 'main', patienceMs: 30_000 }
  const connected = await openEngine(options)
  const engine = wrapEngine?.(connected) ?? connected
  const identity = createIdentity(name)
  const objects = openObjects(engine, 'data')
  const ends = new RunCallEnds({ engine, identity, objects })
  const pool = 'default'
  const workers = new Workers(engine, name, { pool })
  const inbox = new CallInbox(engine, name)
  const services = { engine, identity, workers, inbox, ends, objects }
  const jobs = new JobSender({
    ...services,
    codec: { tenant: 'main', objects, key: await readJobKey(keyFile) },
    catalog: { revision: 0 },
    pool,
    maxPerCaller,
    jobWaitMs,
  })
  const note = openHistory(dir, name)
  const store = openFleetDetachedStore(services)
  return {
    engine,
    identity,
    ends,
    workers,
    store,
    async start(ms, { hasSecrets = false, data, ...call } = {}) {
      const id = call.runId ?? createRunId()
      const { runId } = (await jobs.start(
        {
          kind: 'run_code',
          params: { ms, data, entries: [] },
          hasSecrets,
          auditRefusal: async () => {},
        },
        { env: {}, cwd: '/', caller: { name: 'test' }, ...call, runId: id },
      )) as { runId: string }
      return runId
    },
    async wait(id) {
      note({ t: 'asked', call: id, node: name, at: Date.now() })
      for (;;) {
        const run = await store.find(id).catch(() => undefined)
        if (run?.end) {
          const { result } = run.end
          const outcome = readOutcome(run)
          note({ t: 'answered', call: id, node: name, outcome, result, at: Date.now() })
          return outcome
        }
        await sleep(100)
      }
    },
    async close() {
      jobs.stop()
      workers.stop()
      inbox.stop()
      await engine.close()
    },
  }
}

function readOutcome({ end }: DetachedRun): string {
  if (end?.error) return end.error.code
  return (end?.result as { status?: string } | undefined)?.status ?? 'none'
}

/** The code of the error with which a start is refused. */
export async function readRefusal(starting: Promise<unknown>): Promise<string> {
  return await starting.then(
    () => 'started',
    (error: unknown) => toSkillsError(error).code,
  )
}
