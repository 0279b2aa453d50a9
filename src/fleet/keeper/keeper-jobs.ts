import type { NodeIdentity } from '../node/identity.ts'
import type { RunHolder } from '../records/run-begun.ts'
import { runSweep, SWEEPS, type SweepContext } from './sweeps.ts'
import type { KeeperJob } from './run-jobs.ts'
import type { Engine } from '../engine/engine.ts'
import { createJobProgress, keepJobs } from '../jobs/keep-jobs.ts'
import { RunCallEnds } from '../node/run-call-ends.ts'
import { openObjects } from '../objects/open-objects.ts'
import { CHAINS_PATTERN, EPOCHS_SUBJECT } from '../audit/chain-name.ts'
import { decodeEpoch } from '../audit/epoch-record.ts'
import { EpochWriter } from '../audit/epochs.ts'

const MINUTE_MS = 60_000
const LOST_JOBS_MS = 10_000

interface KeeperContext extends Omit<SweepContext, 'engine' | 'dryRun'> {
  identity: NodeIdentity
  isAlive: (holder: RunHolder) => boolean | undefined
}

/** Jobs of a keeper. Those of one list run one after the other, and the lists side by side. */
export function createKeeperJobs({
  identity,
  ...context
}: KeeperContext): readonly (readonly KeeperJob[])[] {
  const epochs: KeeperJob = {
    title: 'Writing an epoch of the audit',
    firstMs: MINUTE_MS,
    everyMs: MINUTE_MS,
    retryMs: MINUTE_MS,
    maxMs: 5 * MINUTE_MS,
    run: createEpochJob(),
  }
  const sweeps = SWEEPS.map((sweep): KeeperJob => ({
    title: sweep.title,
    // A keeper that soon loses its lease again does not begin.
    firstMs: MINUTE_MS,
    everyMs: 60 * MINUTE_MS,
    retryMs: 5 * MINUTE_MS,
    maxMs: 20 * MINUTE_MS,
    run: async (engine) => await runSweep(sweep, { ...context, engine, dryRun: false }),
  }))
  const jobs: KeeperJob = {
    title: 'Queueing detached runs again',
    firstMs: LOST_JOBS_MS,
    everyMs: LOST_JOBS_MS,
    retryMs: LOST_JOBS_MS,
    maxMs: 10 * MINUTE_MS,
    run: createJobsJob({ identity, isAlive: context.isAlive }),
  }
  return [[epochs], [jobs], sweeps]
}

interface JobsJobOptions {
  identity: NodeIdentity
  isAlive: (holder: RunHolder) => boolean | undefined
}

/** Returns a function that queues and ends detached runs which no other node takes care of. */
function createJobsJob({ identity, isAlive }: JobsJobOptions): (engine: Engine) => Promise<number> {
  const progress = createJobProgress()
  return async (engine) => {
    const objects = openObjects(engine, 'data')
    const ends = new RunCallEnds({ engine, identity, objects })
    return await keepJobs({ engine, identity, ends, isAlive }, progress)
  }
}

/** Returns a function that writes epochs as long as there are records that none covers. */
export function createEpochJob(): (engine: Engine) => Promise<number> {
  let engine: Engine | undefined
  let writer: EpochWriter | undefined
  return async (given) => {
    // After a failure the engine is another one, and the writer reads the epochs again.
    if (!writer || engine !== given) writer = new EpochWriter(given)
    engine = given
    let count = 0
    for (let hasMore = await hasNewRecords(given); hasMore; count++) {
      hasMore = (await writer.write())?.hasMore === true
    }
    return count
  }
}

/** True if a chain has a record that the last epoch does not cover. */
async function hasNewRecords(engine: Engine): Promise<boolean> {
  const last = await engine.last('audit', EPOCHS_SUBJECT)
  const until = (last && decodeEpoch(last.body)?.record.until) ?? 0
  for await (const { subject } of engine.list('audit', CHAINS_PATTERN, { afterSeq: until })) {
    if (subject !== EPOCHS_SUBJECT) return true
  }
  return false
}
