import type { Config } from '../../core/config/config.ts'
import type { Engine } from '../engine/engine.ts'
import type { Objects } from '../objects/objects.ts'
import type { CallEnds } from '../messages/call-ends.ts'
import type { NodeIdentity } from '../node/identity.ts'
import type { Worker } from '../worker/worker.ts'
import { JobPuller } from './job-puller.ts'
import { NO_KEY, openJobCodec } from './open-front-jobs.ts'

interface WorkerJobOptions {
  engine: Engine
  identity: NodeIdentity
  ends: CallEnds
  objects: Objects
  worker: Worker
  config: Config
  labels: readonly string[]
  onProblem: (message: string, reason: string) => void
}

/** Lets a worker pull detached runs. Throws if the file with the key of the fleet is not valid. */
export async function openWorkerJobs({
  worker,
  config,
  onProblem,
  ...services
}: WorkerJobOptions): Promise<JobPuller> {
  const { engine } = services
  const codec = await openJobCodec(services, config)
  if (!codec.key) onProblem('Detached runs are not encrypted', NO_KEY)
  return new JobPuller({
    ...services,
    codec,
    pool: config.worker.pool,
    queue: await engine.openQueue('jobs'),
    worker,
    perform: async (message, secrets) => await worker.performJob(message, secrets),
    cancel: (run) => worker.cancel(run),
    onProblem: (run, reason) => onProblem(`The detached run ${run} is not performed here`, reason),
  })
}
