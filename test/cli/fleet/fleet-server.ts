import { openEngine, type NatsEngine } from '../../../src/fleet/engine/open-engine.ts'
import type { EngineMessage } from '../../../src/fleet/engine/engine.ts'
import {
  PROTOCOL,
  type FrontState,
  type WorkerState,
} from '../../../src/fleet/messages/node-state.ts'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { startNatsServer, type TestServer } from '../../helpers/fleet/nats-server.ts'
import { runSkills, type CliInvocation, type CliResult } from '../../helpers/skills.ts'

let count = 0

/** Starts an engine for the tests of a file. */
export function useServer(): { readonly url: string } {
  let server: TestServer | undefined
  beforeAll(async () => {
    server = await startNatsServer()
  })
  afterAll(async () => await server?.close())
  return {
    get url() {
      return server?.url ?? ''
    },
  }
}

/** A tenant of its own for each test, and a connection for its nodes. */
export interface TestTenant {
  engine: NatsEngine
  /** Variables that select the tenant. */
  env: Record<string, string>
  /** Runs a command of `skills fleet` for the tenant. */
  fleet(argv: readonly string[], at?: CliInvocation): Promise<CliResult>
}

export async function createTenant(url: string): Promise<TestTenant> {
  const tenant = `t${++count}`
  const engine = await openEngine({ servers: url, name: 'test', tenant, patienceMs: 5000 })
  onTestFinished(async () => await engine.close())
  const env = { SKILLS_FLEET_TENANT: tenant, SKILLS_FLEET_SERVERS: url }
  return {
    engine,
    env,
    fleet: async (argv, at = {}) =>
      await runSkills(['fleet', ...argv], { ...at, env: { ...env, ...at.env } }),
  }
}

export const WORKER: WorkerState = {
  v: PROTOCOL,
  role: 'worker',
  node: 'one',
  start: 'aaaa',
  beat: 1,
  build: '1.2.3',
  pool: 'default',
  labels: [],
  places: 4,
  line: 2,
  running: 1,
  waiting: 0,
  isDraining: false,
  seen: {},
  catalog: 0,
}

export const FRONT: FrontState = {
  v: PROTOCOL,
  role: 'front',
  node: 'edge',
  start: 'bbbb',
  beat: 1,
  build: '1.2.3',
  waiting: 3,
  running: 2,
  isDraining: false,
}

/** Sends the same message again and again, as heartbeats are. */
export function repeat(engine: NatsEngine, subject: string, body: string | Uint8Array): () => void {
  const timer = setInterval(() => engine.publish(subject, body), 100)
  const stop = () => clearInterval(timer)
  onTestFinished(stop)
  return stop
}

/** A node whose state the test changes. */
export interface TestNode {
  state: WorkerState | FrontState
  requests: unknown[]
  /** Ends heartbeats and answers. */
  stop(): void
}

/** Starts a node that sends heartbeats, and begins to drain on request. */
export function startNode(
  engine: NatsEngine,
  state: WorkerState | FrontState,
  onRequest = (node: TestNode, { respond }: EngineMessage) => {
    node.state = { ...node.state, isDraining: true }
    respond(JSON.stringify({ start: node.state.start, running: node.state.running }))
  },
): TestNode {
  const letter = state.role === 'worker' ? 'w' : 'f'
  const timer = setInterval(() => {
    engine.publish(`hb.${letter}.${state.node}`, JSON.stringify(node.state))
  }, 100)
  const end = engine.subscribe(`${letter}.${state.node}.ctl`, (message) => {
    node.requests.push(JSON.parse(Buffer.from(message.body).toString()))
    onRequest(node, message)
  })
  const node: TestNode = {
    state,
    requests: [],
    stop() {
      clearInterval(timer)
      end()
    },
  }
  onTestFinished(() => clearInterval(timer))
  return node
}
