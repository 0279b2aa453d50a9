import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { LoadedConfig } from '../../../src/core/config/load-config.ts'
import type { RuntimeOptions } from '../../../src/core/open-services.ts'
import { createPolicySource } from '../../../src/core/policy/load-policy.ts'
import { initAssets } from '../../../src/fleet/engine/init-assets.ts'
import { openEngine } from '../../../src/fleet/engine/open-engine.ts'
import { openFront, type Front } from '../../../src/fleet/front/open-front.ts'
import { createIdentity } from '../../../src/fleet/node/identity.ts'
import { openWorker, type RunningWorker } from '../../../src/fleet/worker/open-worker.ts'

const DAY_MS = 86_400_000
const WORKERS = 2

/** A front and two workers of a tenant of their own, in this process. */
export interface TestFleet {
  front: Front
  workers: readonly RunningWorker[]
  tenant: string
  /** Options of the runtime of the front, which has a data directory of its own. */
  runtime: Pick<RuntimeOptions, 'config' | 'stores' | 'startDetached'>
  stop(): Promise<void>
}

export interface TestFleetOptions {
  /** Address of the engine. */
  servers: string
  loaded: LoadedConfig
  dir: string
  env: Readonly<Record<string, string | undefined>>
  allowNetwork?: boolean
}

export async function startTestFleet({
  servers,
  loaded,
  dir,
  env,
  allowNetwork = false,
}: TestFleetOptions): Promise<TestFleet> {
  const tenant = `t${randomBytes(6).toString('hex')}`
  const open = async (name: string) =>
    await openEngine({ servers, name, tenant, patienceMs: 10_000, reads: 'requests' })
  const first = await open('init')
  const lifetimes = { runsMs: DAY_MS, blobsMs: DAY_MS, outputsMs: DAY_MS }
  await initAssets(first, { lifetimes, replicas: 1 })
  await first.close()
  const place = (name: string): LoadedConfig => {
    const directories = { ...loaded.config.directories, data: join(dir, 'nodes', name) }
    // A test that leaves an interactive command does not wait for it.
    const fleet = { ...loaded.config.fleet, drainSessionsMs: 500 }
    return { ...loaded, config: { ...loaded.config, directories, fleet } }
  }
  const startWorker = async (name: string) => {
    const origins = place(name)
    return await openWorker({
      engine: await open(name),
      identity: createIdentity(name),
      origins,
      policy: createPolicySource(origins.config),
      build: 'test',
      env,
      cwd: dir,
      allowNetwork,
      onProblem: () => {},
    })
  }
  const names = Array.from({ length: WORKERS }, (_, at) => `w${at}`)
  const [front, ...workers] = await Promise.all([
    openFront({
      engine: await open('front'),
      identity: createIdentity('front'),
      config: place('front').config,
      build: 'test',
      hasSeveralCallers: false,
    }),
    ...names.map(startWorker),
  ])
  return {
    front,
    workers,
    tenant,
    runtime: {
      config: place('front').config,
      stores: front.stores,
      startDetached: front.startDetached,
    },
    async stop() {
      front.drain()
      await Promise.all(workers.map(async (worker) => await worker.stop(1000)))
      await front.close()
    },
  }
}
