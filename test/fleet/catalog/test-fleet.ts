import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { initAssets } from '../../../src/fleet/engine/init-assets.ts'
import { openEngine, type NatsEngine } from '../../../src/fleet/engine/open-engine.ts'
import { startNatsServer, type TestServer } from '../../helpers/fleet/nats-server.ts'

const DAY_MS = 86_400_000
const LIFETIMES = { runsMs: DAY_MS, blobsMs: DAY_MS, outputsMs: DAY_MS }

/** Nodes read as their permissions allow. */
const NODE = { name: 'test', patienceMs: 30_000, reads: 'requests' } as const

/** A server for the tests of a file, of which each has a tenant of its own. */
export interface TestFleet {
  readonly server: TestServer
  /** Creates the streams of a new tenant, and returns its name. */
  createTenant(): Promise<string>
  /** Connects a node, until the test ends. */
  connect(tenant: string): Promise<NatsEngine>
}

/** Starts a server for the tests of the calling file. */
export function useTestFleet(): TestFleet {
  let server: TestServer | undefined
  beforeAll(async () => {
    server = await startNatsServer()
  })
  afterAll(async () => await server?.close())
  const getServer = () => {
    if (!server) throw new Error('The server is not started')
    return server
  }
  const open = async (tenant: string) =>
    await openEngine({ ...NODE, servers: getServer().url, tenant })
  return {
    get server() {
      return getServer()
    },
    async createTenant() {
      const tenant = `t${randomBytes(6).toString('hex')}`
      const engine = await open(tenant)
      await initAssets(engine, { lifetimes: LIFETIMES, replicas: 1 })
      await engine.close()
      return tenant
    },
    async connect(tenant) {
      const engine = await open(tenant)
      onTestFinished(async () => await engine.close())
      return engine
    },
  }
}
