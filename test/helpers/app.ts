import type { Hono } from 'hono'
import { loadConfig } from '../../src/core/config/load-config.ts'
import { createRuntime, type Runtime } from '../../src/core/runtime.ts'
import type { AppEnv } from '../../src/server/http/app-env.ts'
import { createApp } from '../../src/server/http/app.ts'
import { SILENT_LOG } from '../../src/server/telemetry/request-log.ts'
import {
  createServerContext,
  type ServerContext,
  type ServerOptions,
} from '../../src/server/server-context.ts'
import { INHERITED_ENV, INHERITS_FAST_PATHS } from './inherited-env.ts'
import { keepSandboxesFor } from './kept-sandboxes.ts'
import { createFolder, writeTree, type Tree } from './skills.ts'

export interface TestApp {
  app: Hono<AppEnv>
  context: ServerContext
  runtime: Runtime
  dir: string
  /** Sends a raw body to /rpc. */
  post(body: string | Uint8Array): Promise<Response>
}

/** The HTTP application without a socket: for many fast requests. */
export async function createTestApp(
  tree: Tree,
  settings: Readonly<Record<string, unknown>> = {},
  {
    fastPaths = INHERITS_FAST_PATHS,
    ...options
  }: Partial<ServerOptions> & { fastPaths?: boolean } = {},
): Promise<TestApp> {
  const dir = createFolder()
  writeTree(dir, { 'skills/.keep': '', ...tree })
  const env = { ...INHERITED_ENV, HOME: dir }
  const { config } = await loadConfig({ cwd: dir, env, flags: settings, noFiles: true })
  const sandboxes = await keepSandboxesFor(settings)
  const runtime = createRuntime({ config, noticesEdits: false, sandboxes, fastPaths })
  const context = createServerContext({
    runtime,
    trust: { hosts: new Set(['localhost']), anyAddress: false, origins: new Set() },
    tokens: undefined,
    limits: {
      bodyBytes: config.serve.maxBodyBytes,
      bodyMs: 30_000,
      running: config.run.maxConcurrent ?? 2,
      runsPerCaller: 4,
      hasSeveralCallers: false,
      waiting: config.run.maxWaiting ?? 64,
      callsPerSecond: config.serve.callsPerSecond,
      quotas: config.serve.quotas,
    },
    cwd: dir,
    env,
    allowNetwork: false,
    log: SILENT_LOG,
    ...options,
  })
  const app = createApp(context)
  return {
    app,
    context,
    runtime,
    dir,
    post: async (body) =>
      await app.request('http://localhost/rpc', {
        method: 'POST',
        headers: { host: 'localhost', 'content-type': 'application/json' },
        body: body as string,
      }),
  }
}
