import type { Runtime } from '../core/runtime.ts'
import { createApp } from './http/app.ts'
import { LOOPBACK_NAMES } from './auth/host-check.ts'
import { resolveLimits } from './limits.ts'
import type { McpEndpoint } from './rpc/mcp-endpoint.ts'
import { SILENT_LOG, type RequestLog } from './telemetry/request-log.ts'
import { createServerContext } from './server-context.ts'
import { hasSeveralTokens, type TokenBook } from './auth/tokens.ts'
import { parseTrustedHosts, parseTrustedOrigins } from './auth/trust.ts'

export interface SkillsAppOptions {
  runtime: Runtime
  /** Base of relative paths in settings. */
  cwd: string
  /** Environment in which programs are found, and source of variables that runs inherit. */
  env: Readonly<Record<string, string | undefined>>
  /** Defaults to no authentication: every caller has all scopes. */
  tokens?: TokenBook | undefined
  /** Additional names allowed in the Host header. */
  allowedHosts?: readonly string[]
  /** Origins of web pages that may call. */
  allowedOrigins?: readonly string[]
  /** Allows skills to use the network hosts that they declare. */
  allowNetwork?: boolean
  log?: RequestLog
  /**
   * Serves the console below /console, at the root of the server only. Without tokens, all
   * callers of the app may use it. Defaults to false.
   */
  console?: boolean
  /** Handler of /mcp. */
  mcp?: McpEndpoint | undefined
}

/**
 * The routes of a server. They are a Hono app, whose types are not part of ours: they need those of
 * a browser and the newest TypeScript.
 */
export interface SkillsRoutes {
  /** Answers a request. `env` has the `incoming` message of `@hono/node-server`. */
  fetch(request: Request, env?: unknown): Response | Promise<Response>
  /** Answers a request without a server, as tests do. A path belongs to http://localhost. */
  request(input: string | URL | Request, init?: RequestInit): Response | Promise<Response>
}

/** The server without a port, for programs with an HTTP server of their own. */
export interface SkillsApp {
  /** To serve through `fetch`, or to mount in another app. */
  app: SkillsRoutes
  /** Rejects new runs and cancels running ones. */
  close(): void
}

/**
 * Creates the app. It trusts the loopback hosts and the hosts and origins of the options and
 * configuration.
 */
export function createSkillsApp(options: SkillsAppOptions): SkillsApp {
  const { runtime, cwd, env, tokens, allowNetwork = false, log = SILENT_LOG, mcp } = options
  const { serve } = runtime.config
  const names = [...LOOPBACK_NAMES, ...serve.allowedHosts, ...(options.allowedHosts ?? [])]
  const context = createServerContext({
    runtime,
    cwd,
    env,
    tokens,
    allowNetwork,
    log,
    mcp,
    hasConsole: options.console === true,
    limits: resolveLimits(runtime.config, hasSeveralTokens(tokens)),
    trust: {
      hosts: parseTrustedHosts(names),
      anyAddress: false,
      origins: parseTrustedOrigins([...serve.allowedOrigins, ...(options.allowedOrigins ?? [])]),
    },
  })
  return {
    app: createApp(context),
    close() {
      context.runQueue.close()
      context.consoleEvents.close()
      context.endRuns()
    },
  }
}
