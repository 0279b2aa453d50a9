import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { loadConfig } from '../../../src/core/config/load-config.ts'
import { METHODS } from '../../../src/core/methods/index.ts'
import { createRuntime, type Runtime } from '../../../src/core/runtime.ts'
import { openEngine } from '../../../src/fleet/engine/open-engine.ts'
import { openFront, type Front } from '../../../src/fleet/front/open-front.ts'
import { createIdentity } from '../../../src/fleet/node/identity.ts'
import { createLazyMcpHttpHandler } from '../../../src/mcp/http/lazy-http-handler.ts'
import { parseTokens } from '../../../src/server/auth/tokens.ts'
import { serve, type RunningServer } from '../../../src/server/serve.ts'
import { SILENT_LOG } from '../../../src/server/telemetry/request-log.ts'
import { startNatsServer, type TestServer } from '../../helpers/fleet/nats-server.ts'
import { startTestFleet, type TestFleet } from '../../helpers/fleet/served-fleet.ts'
import { INHERITED_ENV } from '../../helpers/inherited-env.ts'

export const ADA = `ada-${randomBytes(12).toString('hex')}`
export const BEN = `ben-${randomBytes(12).toString('hex')}`
export const OPS = `ops-${randomBytes(12).toString('hex')}`
const TOKENS = `${ADA} ada read,run,write\n${BEN} ben read,run,write\n${OPS} ops read,run,write,operate\n`

/** A fleet with two fronts, each with an HTTP server. */
export class TwoServers {
  readonly nats: TestServer
  readonly dir: string
  readonly fleet: TestFleet
  readonly fronts: readonly Front[]
  readonly servers: readonly RunningServer[]

  static async start(): Promise<TwoServers> {
    const nats = await startNatsServer()
    const dir = mkdtempSync(join(tmpdir(), 'skills-fronts-'))
    const env = { ...INHERITED_ENV, HOME: dir }
    const flags = { 'run.warm': false }
    const loaded = await loadConfig({ cwd: dir, env, flags, noFiles: true })
    const fleet = await startTestFleet({ servers: nats.url, loaded, dir, env })
    const { tenant } = fleet
    const directories = { ...loaded.config.directories, data: join(dir, 'nodes', 'second') }
    const second = await openFront({
      engine: await openEngine({ servers: nats.url, name: 'second', tenant, patienceMs: 10_000 }),
      identity: createIdentity('second'),
      config: { ...loaded.config, directories },
      build: 'test',
      hasSeveralCallers: true,
    })
    const fronts = [fleet.front, second]
    const servers = await Promise.all(
      fronts.map(async (front) => {
        const runtime = createRuntime({ ...fleet.runtime, stores: front.stores })
        return await serve({
          runtime,
          mcp: openMcp(runtime, front),
          lastGood: undefined,
          host: '127.0.0.1',
          port: 0,
          tokens: parseTokens(TOKENS, 'tokens.txt'),
          noAuth: false,
          allowedHosts: [],
          allowedOrigins: [],
          allowNetwork: false,
          log: SILENT_LOG,
          cwd: dir,
          env,
          ...front.serving,
        })
      }),
    )
    return new TwoServers({ nats, dir, fleet, fronts, servers })
  }

  private constructor(parts: Pick<TwoServers, 'nats' | 'dir' | 'fleet' | 'fronts' | 'servers'>) {
    this.nats = parts.nats
    this.dir = parts.dir
    this.fleet = parts.fleet
    this.fronts = parts.fronts
    this.servers = parts.servers
  }

  /** Sends a request to a server, by its index. */
  async fetch(at: number, path: string, { token = ADA, ...init }: AuthorizedRequest = {}) {
    const headers = { ...init.headers, authorization: `Bearer ${token}` }
    return await fetch(`${this.servers[at]?.url}${path}`, { ...init, headers })
  }

  /** Calls a method, and returns its result. */
  async call(at: number, method: string, { params, token }: TestCall = {}): Promise<JsonResult> {
    const response = await this.fetch(at, '/rpc', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      ...(token !== undefined && { token }),
    })
    const { result, error } = (await response.json()) as { result?: JsonResult; error?: unknown }
    if (!result) throw new Error(`${method} failed: ${JSON.stringify(error)}`)
    return result
  }

  async close(): Promise<void> {
    await Promise.all(this.servers.map(async (server) => await server.stop(0)))
    await this.fronts[1]?.close()
    await this.fleet.stop()
    await this.nats.close()
    rmSync(this.dir, { recursive: true, force: true })
  }
}

function openMcp(runtime: Runtime, front: Front) {
  return createLazyMcpHttpHandler({
    runtime,
    version: 'test',
    methods: METHODS,
    instructions: () => '',
    onNotice: () => {},
    sessionPrefix: `${front.serving.node.name}.`,
  })
}

interface AuthorizedRequest extends RequestInit {
  token?: string
  headers?: Record<string, string>
}

interface TestCall {
  params?: object
  token?: string
}

export type JsonResult = Record<string, unknown>

/** One fleet for the tests of a file. */
export function useTwoServers(): { readonly current: TwoServers } {
  let servers: TwoServers
  beforeAll(async () => {
    servers = await TwoServers.start()
  }, 60_000)
  afterAll(async () => await servers.close())
  return {
    get current() {
      return servers
    },
  }
}
