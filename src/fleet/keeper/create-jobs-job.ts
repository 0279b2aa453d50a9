import type { Engine } from '../engine/engine.ts'
import { createJobProgress, keepJobs } from '../jobs/keep-jobs.ts'
import type { NodeIdentity } from '../node/identity.ts'
import { RunCallEnds } from '../node/run-call-ends.ts'
import { openObjects } from '../objects/open-objects.ts'
import type { RunHolder } from '../records/run-begun.ts'

interface JobsJobOptions {
  identity: NodeIdentity
  isAlive: (holder: RunHolder) => boolean | undefined
}

/** Returns a function that queues and ends detached runs which no other node takes care of. */
export function createJobsJob({
  identity,
  isAlive,
}: JobsJobOptions): (engine: Engine) => Promise<number> {
  const progress = createJobProgress()
  return async (engine) => {
    const objects = openObjects(engine, 'data')
    const ends = new RunCallEnds({ engine, identity, objects })
    return await keepJobs({ engine, identity, ends, isAlive }, progress)
  }
}
