import { afterAll, afterEach, beforeAll } from 'vitest'
import type { AuditRecord } from '../../../src/core/audit/audit-record.ts'
import { initAssets } from '../../../src/fleet/engine/init-assets.ts'
import { nameStream } from '../../../src/fleet/engine/assets.ts'
import { openEngine, type NatsEngine } from '../../../src/fleet/engine/open-engine.ts'
import { startNatsServer, type TestServer } from '../../helpers/fleet/nats-server.ts'

export interface AuditServer {
  readonly server: TestServer
  /** Connects to a tenant; to one of its own if none is named. */
  connect(options?: { tenant?: string; patienceMs?: number }): Promise<NatsEngine>
}

const ASSETS = { lifetimes: { runsMs: 1e8, blobsMs: 1e8, outputsMs: 1e8 }, replicas: 1 }

/** One nats-server for the tests of a file. */
export function useAuditServer(): AuditServer {
  let server: TestServer
  const engines: NatsEngine[] = []
  let tenants = 0
  beforeAll(async () => {
    server = await startNatsServer()
  })
  afterEach(async () => {
    await Promise.all(engines.splice(0).map(async (engine) => await engine.close()))
  })
  afterAll(async () => await server.close())
  return {
    get server() {
      return server
    },
    async connect({ tenant = `t${++tenants}`, patienceMs = 30_000 } = {}) {
      const engine = await openEngine({ servers: server.url, name: 'test', tenant, patienceMs })
      engines.push(engine)
      await initAssets(engine, ASSETS)
      return engine
    },
  }
}

/** A message as a forger sees it. */
export interface ForgedMessage {
  subject: string
  text: string
}

/** Parses the records of a chain, without verification. */
export async function readRecords(engine: NatsEngine, chain: string): Promise<AuditRecord[]> {
  const bodies: Uint8Array[] = []
  for await (const { body } of engine.list('audit', `au.${chain}`)) bodies.push(body)
  return Buffer.concat(bodies)
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as AuditRecord)
}

/** Reads the messages of the audit. */
export async function readMessages(engine: NatsEngine): Promise<ForgedMessage[]> {
  const messages: ForgedMessage[] = []
  for await (const { subject, body } of engine.list('audit', 'au.>')) {
    messages.push({ subject, text: Buffer.from(body).toString() })
  }
  return messages
}

/** Replaces the stream by one with other messages, as the operator of the engine could. */
export async function forgeStream(
  engine: NatsEngine,
  forge: (messages: ForgedMessage[]) => ForgedMessage[],
): Promise<void> {
  const forged = forge(await readMessages(engine))
  const { streams } = await engine.client.jetstreamManager(engine.connection)
  await streams.delete(nameStream(engine.tenant, 'audit'))
  await initAssets(engine, ASSETS)
  const forger = engine.client.jetstream(engine.connection)
  for (const { subject, text } of forged)
    await forger.publish(`sk.${engine.tenant}.${subject}`, text)
}

/** Replaces the lines of one chain; each becomes a message. Other messages stay. */
export function forgeChain(
  chain: string,
  forge: (lines: string[]) => string[],
): (messages: ForgedMessage[]) => ForgedMessage[] {
  const subject = `au.${chain}`
  return (messages) => {
    const own = messages.filter((message) => message.subject === subject)
    const at = messages.findIndex((message) => message.subject === subject)
    const lines = own.flatMap(({ text }) => text.split('\n').slice(0, -1))
    const forged = forge(lines).map((line) => ({ subject, text: `${line}\n` }))
    const others = messages.filter((message) => message.subject !== subject)
    return others.toSpliced(at, 0, ...forged)
  }
}
