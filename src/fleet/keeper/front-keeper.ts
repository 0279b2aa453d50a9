import type { Config } from '../../core/config/config.ts'
import type { Engine } from '../engine/engine.ts'
import type { NodeIdentity } from '../node/identity.ts'
import type { RunHolder } from '../records/run-begun.ts'
import { createKeeperJobs } from './keeper-jobs.ts'
import { startKeeper, type Keeper } from './keeper.ts'
import type { OnJobProblem } from './run-jobs.ts'

export interface FrontKeeperOptions {
  engine: Engine
  identity: NodeIdentity
  config: Config
  /** Called with each failure of a job. */
  onKeeperProblem?: OnJobProblem
}

/** Starts the keeper of a front, which knows from heartbeats which workers are gone. */
export function startFrontKeeper(
  { engine, identity, config, onKeeperProblem = () => {} }: FrontKeeperOptions,
  isThere: (node: string, start: string) => boolean | undefined,
): Keeper {
  const isOwn = ({ node, start }: RunHolder) => node === identity.name && start === identity.start
  // The front is not one of the workers, and may have runs of its own.
  const isAlive = (holder: RunHolder) => isOwn(holder) || isThere(holder.node, holder.start)
  return startKeeper(engine, {
    identity,
    createJobs: () => createKeeperJobs({ identity, config, isAlive }),
    onProblem: onKeeperProblem,
  })
}
