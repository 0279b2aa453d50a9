import { initAssets } from '../../../src/fleet/engine/init-assets.ts'
import { openEngine } from '../../../src/fleet/engine/open-engine.ts'
import { openStubFront, type StubFront } from './stub-front.ts'
import { StubWorkers } from './stub-workers.ts'

const HOUR_MS = 3_600_000
const LIFETIMES = { runsMs: HOUR_MS, blobsMs: HOUR_MS, outputsMs: HOUR_MS }
const PATIENCE_MS = 10_000

/** A front and stub workers. */
export interface OpenBench {
  front: StubFront
  workers: StubWorkers
  /** Ends the nodes. */
  close(): Promise<void>
}

/** Connects to an engine, and creates the streams. */
export async function openBench(servers: string): Promise<OpenBench> {
  const options = { servers, tenant: 'bench', patienceMs: PATIENCE_MS }
  const engine = await openEngine({ ...options, name: 'bench' })
  await initAssets(engine, { lifetimes: LIFETIMES, replicas: 1 })
  const workers = new StubWorkers(options)
  const front = openStubFront(engine)
  return {
    front,
    workers,
    async close() {
      front.stop()
      await workers.close()
      await engine.close()
    },
  }
}
