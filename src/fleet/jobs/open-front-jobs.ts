import type { Config } from '../../core/config/config.ts'
import type { Engine } from '../engine/engine.ts'
import type { Objects } from '../objects/objects.ts'
import { readJobKey } from './job-key.ts'
import { JobSender, type JobSenderOptions } from './job-sender.ts'

/** A detached run that no worker took for a day is given up: its pool may not exist. */
const JOB_WAIT_MS = 86_400_000

interface FrontJobOptions extends Omit<
  JobSenderOptions,
  'codec' | 'pool' | 'maxPerCaller' | 'jobWaitMs'
> {
  config: Config
  /** Called if the fleet has no key. */
  onWarning?: ((message: string) => void) | undefined
}

/** Prepares the detached runs of a front. Throws if the file with the key of the fleet is not valid. */
export async function openFrontJobs({
  config,
  onWarning,
  ...services
}: FrontJobOptions): Promise<JobSender> {
  const codec = await openJobCodec(services, config)
  if (!codec.key) onWarning?.(NO_KEY)
  return new JobSender({
    ...services,
    codec,
    pool: config.worker.pool,
    maxPerCaller: config.run.maxDetached,
    jobWaitMs: JOB_WAIT_MS,
  })
}

/** Warning of a node without a key. */
export const NO_KEY =
  'fleet.key is not set: the engine stores the arguments of detached runs as they are, and those of skills with secrets are refused'

export async function openJobCodec(
  { engine, objects }: { engine: Engine; objects: Objects },
  { fleet }: Pick<Config, 'fleet'>,
) {
  return { tenant: engine.tenant, objects, key: await readJobKey(fleet.key) }
}
