import { onTestFinished } from 'vitest'
import { PROFILES, resolveTools } from '../../src/agent/profiles.ts'
import { loadConfig, type LoadedConfig } from '../../src/core/config/load-config.ts'
import { createLastGood } from '../../src/core/skills/repository/last-good.ts'
import type { RuntimeOptions } from '../../src/core/open-services.ts'
import { createRuntime, type Runtime } from '../../src/core/runtime.ts'
import { createLazyMcpHttpHandler } from '../../src/mcp/http/lazy-http-handler.ts'
import type { McpOptions } from '../../src/mcp/mcp-options.ts'
import { SILENT_LOG } from '../../src/server/telemetry/request-log.ts'
import { serve, type ServeOptions } from '../../src/server/serve.ts'
import type { TestFleet } from './fleet/served-fleet.ts'
import { INHERITED_ENV, INHERITS_FAST_PATHS } from './inherited-env.ts'
import { keepSandboxesFor } from './kept-sandboxes.ts'
import { createFolder, writeTree, type Tree } from './skills.ts'

export interface ServerSetup extends Partial<Omit<ServeOptions, 'runtime' | 'lastGood'>> {
  /** Files in the server's folder; skills are under `skills/`. */
  tree?: Tree
  /** Settings by key, such as `run.max_concurrent`. With those of runs, it gets sandboxes of its own. */
  settings?: Readonly<Record<string, unknown>>
  watch?: boolean
  bounds?: RuntimeOptions['bounds']
  fastPaths?: boolean
  /** Also serve MCP. */
  withMcp?: Pick<McpOptions, 'resumeMs'>
}

export interface TestServer {
  url: string
  /** The server's folder. */
  dir: string
  runtime: Runtime
  /** Sends one call and returns the response body. */
  call(method: string, params?: object): Promise<RpcAnswer>
  /** The same, for calls that must succeed. */
  result(method: string, params?: object): Promise<Record<string, unknown>>
  /** Sends a raw body. */
  post(body: string | object, headers?: Record<string, string>): Promise<Response>
  fetch(path: string, init?: RequestInit): Promise<Response>
  stop(graceMs?: number): Promise<void>
}

export interface RpcAnswer {
  jsonrpc: string
  id: unknown
  result?: Record<string, unknown>
  error?: { code: number; message: string; data?: Record<string, unknown> }
}

/** A real server on a free local port, stopped after the test. */
export async function startTestServer(setup: ServerSetup = {}): Promise<TestServer> {
  const { tree = {}, settings = {}, watch = false, withMcp, bounds, ...more } = setup
  const { fastPaths = INHERITS_FAST_PATHS, ...options } = more
  const dir = createFolder()
  writeTree(dir, { 'skills/.keep': '', ...tree })
  const env = { ...INHERITED_ENV, HOME: dir }
  const loaded = await loadConfig({ cwd: dir, env, flags: settings, noFiles: true })
  const { config } = loaded
  const lastGood = watch ? createLastGood() : undefined
  const fleet = await startFleet({ loaded, dir, env, allowNetwork: options.allowNetwork })
  const sandboxes = await keepSandboxesFor(settings, setup.fastPaths)
  const runtime = createRuntime({
    config,
    lastGood,
    sandboxes,
    bounds,
    fastPaths,
    ...fleet?.runtime,
  })
  fleet?.front.onSkillsChanged(() => void runtime.repository.refresh())
  const server = await serve({
    runtime,
    lastGood,
    host: '127.0.0.1',
    port: 0,
    tokens: undefined,
    noAuth: false,
    allowedHosts: [],
    allowedOrigins: [],
    allowNetwork: false,
    log: SILENT_LOG,
    cwd: dir,
    env,
    ...(withMcp && { mcp: mcpDoor(runtime, withMcp) }),
    ...fleet?.front.serving,
    ...options,
  })
  let isUp = true
  const stop = async (graceMs = 0) => {
    if (isUp) await server.stop(graceMs)
    if (isUp) await fleet?.stop()
    isUp = false
  }
  onTestFinished(async () => await stop())
  return { dir, runtime, stop, ...createCallers(server.url) }
}

/** With SKILLS_TEST_FLEET, the address of an engine, a fleet performs the runs of each server. */
async function startFleet(options: {
  loaded: LoadedConfig
  dir: string
  env: Readonly<Record<string, string | undefined>>
  allowNetwork: boolean | undefined
}): Promise<TestFleet | undefined> {
  const servers = process.env['SKILLS_TEST_FLEET']
  if (servers === undefined) return undefined
  const { startTestFleet } = await import('./fleet/served-fleet.ts')
  return await startTestFleet({ ...options, allowNetwork: options.allowNetwork === true, servers })
}

function mcpDoor(runtime: Runtime, more: Pick<McpOptions, 'resumeMs'>) {
  const methods = resolveTools([...PROFILES.protocol, 'create_skill'])
  const instructions = () => 'Be nice'
  return createLazyMcpHttpHandler({
    runtime,
    version: '1',
    methods,
    instructions,
    onNotice: () => {},
    ...more,
  })
}

/** Functions that send requests to a server. */
export function createCallers(url: string) {
  const post: TestServer['post'] = async (body, headers = {}) =>
    await fetch(`${url}/rpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const call: TestServer['call'] = async (method, params) => {
    const response = await post({ jsonrpc: '2.0', id: 1, method, params })
    return (await response.json()) as RpcAnswer
  }
  const result: TestServer['result'] = async (method, params) => {
    const answer = await call(method, params)
    if (!answer.result) throw new Error(`${method} failed: ${JSON.stringify(answer.error)}`)
    return answer.result
  }
  return {
    url,
    post,
    call,
    result,
    fetch: (path: string, init?: RequestInit) => fetch(url + path, init),
  }
}
