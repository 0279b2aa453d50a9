import type { Hono } from 'hono'
import type { Runtime } from '../core/runtime.ts'
import { createApp } from './http/app.ts'
import type { AppEnv } from './http/app-env.ts'
import { LOOPBACK_NAMES } from './auth/host-check.ts'
import { resolveLimits } from './limits.ts'
import type { McpEndpoint } from './rpc/mcp-endpoint.ts'
import { SILENT_LOG, type RequestLog } from './telemetry/request-log.ts'
import { createServerContext } from './server-context.ts'
import type { TokenBook } from './auth/tokens.ts'
import { parseTrustedHosts, parseTrustedOrigins } from './auth/trust.ts'

export interface SkillsAppOptions {
  runtime: Runtime
  /** Relative paths of settings are relative to this. */
  cwd: string
  /** Where programs are found, and variables that are handed through to runs. */
  env: Readonly<Record<string, string | undefined>>
  /** Everybody may do everything unless given. */
  tokens?: TokenBook | undefined
  /** Names besides localhost that may stand in Host. */
  allowedHosts?: readonly string[]
  /** Origins of web pages that may call. */
  allowedOrigins?: readonly string[]
  /** Lets skills use the network that they declare. */
  allowNetwork?: boolean
  log?: RequestLog
  /** Answers at /mcp. */
  mcp?: McpEndpoint | undefined
}

/** The server without a port, for a program that has one of its own. */
export interface SkillsApp {
  /** To be mounted, or served through its `fetch`. */
  app: Hono<AppEnv>
  /** Refuses new runs and ends those that are under way. */
  close(): void
}

/** Makes the app. The hosts and origins that it trusts are those of this machine and those named. */
export function createSkillsApp(options: SkillsAppOptions): SkillsApp {
  const { runtime, cwd, env, tokens, allowNetwork = false, log = SILENT_LOG, mcp } = options
  const { serve } = runtime.config
  const names = [...LOOPBACK_NAMES, ...serve.allowedHosts, ...(options.allowedHosts ?? [])]
  const services = createServerContext({
    runtime,
    cwd,
    env,
    tokens,
    allowNetwork,
    log,
    mcp,
    limits: resolveLimits(serve),
    trust: {
      hosts: parseTrustedHosts(names),
      anyAddress: false,
      origins: parseTrustedOrigins([...serve.allowedOrigins, ...(options.allowedOrigins ?? [])]),
    },
  })
  return {
    app: createApp(services),
    close() {
      services.runQueue.close()
      services.endRuns()
    },
  }
}
