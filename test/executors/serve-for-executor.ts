import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../../src/core/config/load-config.ts'
import { createRuntime } from '../../src/core/runtime.ts'
import { SILENT_LOG } from '../../src/server/telemetry/request-log.ts'
import { serve } from '../../src/server/serve.ts'

/** Serves another runtime in this process, for the tests of a whole file. */
export async function serveForExecutor(settings: Readonly<Record<string, unknown>> = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'skills-test-'))
  const env = { PATH: process.env['PATH'], HOME: dir }
  const { config } = await loadConfig({ cwd: dir, env, flags: settings, noFiles: true })
  const server = await serve({
    runtime: createRuntime({ config }),
    lastGood: undefined,
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
  })
  return {
    url: server.url,
    async stop() {
      await server.stop(0)
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
