import type { NodeIdentity } from '../node/identity.ts'
import type { RunHolder } from '../records/run-begun.ts'
import { createJobsJob } from './create-jobs-job.ts'
import { createEpochJob } from './write-epochs.ts'
import { runSweep, SWEEPS, type SweepContext } from './sweeps.ts'
import type { KeeperJob } from './run-jobs.ts'

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
