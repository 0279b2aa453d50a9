import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { nameStream } from '../../../src/fleet/engine/assets.ts'
import { initAssets } from '../../../src/fleet/engine/init-assets.ts'
import { openEngine, type NatsEngine } from '../../../src/fleet/engine/open-engine.ts'
import { startNatsServer, type TestServer } from '../../helpers/fleet/nats-server.ts'

const DAY_MS = 86_400_000
let tenants = 0

/** A server for the tests of a file. */
export function useNatsServer(): { readonly server: TestServer } {
  let server: TestServer
  beforeAll(async () => {
    server = await startNatsServer()
  })
  afterAll(async () => await server.close())
  return {
    get server() {
      return server
    },
  }
}

/** Connects to a tenant whose streams exist. It is closed at the end of the test. */
export async function connectEngine(server: TestServer, tenant: string): Promise<NatsEngine> {
  const engine = await openEngine({
    servers: server.url,
    name: 'test',
    tenant,
    patienceMs: 30_000,
  })
  onTestFinished(async () => await engine.close())
  return engine
}

/** Connects to a tenant that has no data. */
export async function openTestEngine(server: TestServer): Promise<NatsEngine> {
  const engine = await connectEngine(server, `t${++tenants}`)
  await initStreams(engine)
  return engine
}

/** Creates the streams that the tenant does not have. */
export async function initStreams(engine: NatsEngine): Promise<void> {
  const lifetimes = { runsMs: DAY_MS, blobsMs: DAY_MS, outputsMs: DAY_MS }
  await initAssets(engine, { lifetimes, replicas: 1 })
}

/** Limits the size of the stream of chunks and entries. */
export async function limitData(engine: NatsEngine, bytes: number): Promise<void> {
  const { streams } = await engine.client.jetstreamManager(engine.connection)
  await streams.update(nameStream(engine.tenant, 'data'), { max_bytes: bytes })
}

/** Replaces a stored message. */
export async function replaceMessage(
  engine: NatsEngine,
  subject: string,
  body: Uint8Array | string,
): Promise<void> {
  await engine.remove('data', subject)
  await engine.create('data', subject, body)
}

/** The subjects that the stream of chunks and entries has. */
export async function listSubjects(engine: NatsEngine, pattern: string): Promise<string[]> {
  const subjects: string[] = []
  for await (const { subject } of engine.list('data', pattern)) subjects.push(subject)
  return subjects
}
