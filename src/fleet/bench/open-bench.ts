import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { listAssets, nameStream } from '../engine/assets.ts'
import { initAssets } from '../engine/init-assets.ts'
import { openEngine, type EngineOptions, type NatsEngine } from '../engine/open-engine.ts'
import { isStreamMissing } from '../engine/read-stream.ts'
import { openStubFront, type StubFront } from './stub-front.ts'
import { StubWorkers } from './stub-workers.ts'

const HOUR_MS = 3_600_000
const LIFETIMES = { runsMs: HOUR_MS, blobsMs: HOUR_MS, outputsMs: HOUR_MS }
const PATIENCE_MS = 10_000
/** Shorter than the time of a command after Ctrl-C. */
const REMOVE_MS = 2500

/** A front and stub workers, in a tenant that only this benchmark has. */
export interface OpenBench {
  tenant: string
  front: StubFront
  workers: StubWorkers
  engine: NatsEngine
  /** Creates the streams of the tenant. */
  prepare(): Promise<void>
  /** Ends the nodes. Returns false if the streams of the tenant could not be removed. */
  close(): Promise<boolean>
}

export type BenchOptions = Omit<EngineOptions, 'name' | 'tenant' | 'patienceMs'> & {
  replicas: number
}

/** Draws the name of a tenant, and connects to the engine. It has no streams yet. */
export async function openBench({ replicas, ...address }: BenchOptions): Promise<OpenBench> {
  const tenant = `bench${randomBytes(12).toString('hex')}`
  const options = { ...address, tenant, patienceMs: PATIENCE_MS }
  const engine = await openEngine({ ...options, name: 'bench' })
  const workers = new StubWorkers(options)
  const front = openStubFront(engine)
  return {
    tenant,
    front,
    workers,
    engine,
    prepare: async () => void (await initAssets(engine, { lifetimes: LIFETIMES, replicas })),
    async close() {
      front.stop()
      await workers.close()
      const removing = removeStreams(engine).catch(() => false)
      const timeout = new AbortController()
      const late = sleep(REMOVE_MS, false, { signal: timeout.signal }).catch(() => false)
      const isRemoved = await Promise.race([removing, late])
      timeout.abort()
      await engine.close()
      return isRemoved
    },
  }
}

async function removeStreams({ client, connection, tenant }: NatsEngine): Promise<boolean> {
  const { streams } = await client.jetstreamManager(connection)
  for (const { name } of listAssets(LIFETIMES)) {
    await streams.delete(nameStream(tenant, name)).catch((error: unknown) => {
      if (!isStreamMissing(client, error)) throw error
    })
  }
  return true
}
