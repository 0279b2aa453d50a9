import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { Engine } from '../../../src/fleet/engine/engine.ts'
import { startKeeper, type Keeper } from '../../../src/fleet/keeper/keeper.ts'
import type { KeeperJob } from '../../../src/fleet/keeper/run-jobs.ts'
import { createIdentity } from '../../../src/fleet/node/identity.ts'

/** Shorter than those of a fleet, so that tests need not wait. */
export const TEST_TIMES = { renewMs: 100, validMs: 3000, expiredMs: 4000 }

/** A job that writes records until it is stopped, and those of its subject name the node. */
export function createWritingJob(node: string): KeeperJob {
  return {
    title: 'Writing',
    firstMs: 0,
    everyMs: 0,
    retryMs: 0,
    maxMs: 600_000,
    async run(engine) {
      for (;;) {
        await engine.append('audit', nameWork(node), 'x')
        await sleep(20)
      }
    },
  }
}

/** Subject of the records of `createWritingJob`. */
export function nameWork(node: string): string {
  return `au.${node}.work`
}

export interface TestKeeper {
  keeper: Keeper
  problems: string[]
}

/** Starts a keeper in this process, which is stopped at the end of the test. */
export function startTestKeeper(
  engine: Engine,
  node: string,
  jobs: readonly KeeperJob[] = [createWritingJob(node)],
): TestKeeper {
  const problems: string[] = []
  const keeper = startKeeper(engine, {
    identity: createIdentity(node),
    createJobs: () => [jobs],
    onProblem: (title, error) => void problems.push(`${title}: ${String(error)}`),
    times: TEST_TIMES,
  })
  onTestFinished(async () => await keeper.stop())
  return { keeper, problems }
}

/** Number of records of a node that are stored after a position. */
export async function countWork(engine: Engine, node: string, afterSeq = 0): Promise<number> {
  let count = 0
  for await (const _ of engine.list('audit', nameWork(node), { afterSeq })) count++
  return count
}
