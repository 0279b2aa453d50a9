import { setMaxListeners } from 'node:events'
import { METHODS } from '../core/methods/index.ts'
import type { Runtime } from '../core/runtime.ts'
import { BUILTIN_SKILLS } from '../core/open-services.ts'
import { createRpc, type Rpc } from '../rpc/rpc.ts'
import type { Trust } from './auth/host-check.ts'
import type { McpEndpoint } from './rpc/mcp-endpoint.ts'
import { createLiveRuns, type LiveRuns } from './runs/live-runs.ts'
import { createBoundedLabel, type Metrics } from './telemetry/metrics.ts'
import { makeRateLimiter, type RateLimiter } from './auth/rate-limiter.ts'
import type { RequestLog } from './telemetry/request-log.ts'
import { BoundedRunQueue, type RunQueue } from '../core/runs/run-queue.ts'
import { createServerMetrics } from './telemetry/server-metrics.ts'
import type { SpanSink } from './telemetry/spans.ts'
import type { TokenBook } from './auth/tokens.ts'

/** What a server allows; every one of these is enforced. */
export interface ServerLimits {
  /** Bytes of a body of /rpc. */
  bodyBytes: number
  /** In which headers and a body of /rpc must have come; the pause that anything else may make. */
  bodyMs: number
  running: number
  waiting: number
  /** Calls a second of each token. */
  callsPerSecond: number
}

/** What a server is made of. */
export interface ServerOptions {
  runtime: Runtime
  trust: Trust
  /** Undefined: everybody may do everything. */
  tokens: TokenBook | undefined
  limits: ServerLimits
  cwd: string
  /** What runs may look up: where programs are found, variables that are handed through. */
  env: Readonly<Record<string, string | undefined>>
  /** Lets skills use the network that they declare. */
  allowNetwork: boolean
  log: RequestLog
  /** Undefined where no exporter is configured. */
  spans?: SpanSink | undefined
  /** Answers at /mcp; undefined where nothing does. */
  mcp?: McpEndpoint | undefined
}

/** What lives as long as the server. */
export interface ServerContext extends ServerOptions {
  rpc: Rpc
  runQueue: RunQueue
  rateLimiter: RateLimiter
  runs: LiveRuns
  metrics: Metrics
  /** A skill's name as a label; there are only so many of them. */
  skillLabel(name: string): string
  /** Aborted when what still runs must end. */
  closing: AbortSignal
  /** Ends what still runs. */
  endRuns(): void
}

/** Puts the parts together. Nothing is started. */
export function createServerContext(options: ServerOptions): ServerContext {
  const { runtime, limits } = options
  const gate = new BoundedRunQueue(limits)
  const runs = createLiveRuns(runtime.ids)
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)
  return {
    ...options,
    rpc: createRpc({ runtime, methods: METHODS, privateFolders: listPrivateFolders(options) }),
    runQueue: gate,
    runs,
    rateLimiter: makeRateLimiter(limits.callsPerSecond),
    metrics: createServerMetrics(runtime, { gate, runs }),
    skillLabel: createBoundedLabel(),
    closing: closing.signal,
    endRuns: () => closing.abort(),
  }
}

function listPrivateFolders({ runtime, cwd, env }: ServerOptions): string[] {
  const { roots, directories } = runtime.config
  const all = [...roots, BUILTIN_SKILLS, directories.data, directories.cache, cwd, env['HOME']]
  return all.filter((each) => each !== undefined)
}
