import { setMaxListeners } from 'node:events'
import { METHODS } from '../core/methods/index.ts'
import type { MethodPerformer } from '../core/methods/method.ts'
import type { Runtime } from '../core/runtime.ts'
import { BUILTIN_SKILLS } from '../core/open-services.ts'
import { createRpc, type Rpc } from '../rpc/rpc.ts'
import type { Trust } from './auth/host-check.ts'
import { ConsoleEvents } from './console/console-events.ts'
import type { ConsoleSessions } from './console/console-sessions.ts'
import type { McpEndpoint } from './rpc/mcp-endpoint.ts'
import { createLiveRuns, type LiveRuns } from './runs/live-runs.ts'
import { createBoundedLabel, type Metrics } from './telemetry/metrics.ts'
import { makeRateLimiter, type RateLimiter } from './auth/rate-limiter.ts'
import type { RequestLog } from './telemetry/request-log.ts'
import { BoundedRunQueue, type RunQueue } from '../core/runs/queue/run-queue.ts'
import type { ServedNode } from './served-node.ts'
import { createServerMetrics } from './telemetry/server-metrics.ts'
import type { SpanSink } from './telemetry/spans.ts'
import type { TokenBook } from './auth/tokens.ts'
import { UsageQuotas, type DefaultQuotas, type UsageObserver } from './quotas/usage-quotas.ts'
import type { UseCounter } from './quotas/use-counter.ts'
import type { QuotaResource } from './quotas/hourly-quotas.ts'

/** Limits of a server; all of them are enforced. */
export interface ServerLimits {
  /** Maximum size of a body of /rpc. */
  bodyBytes: number
  /** Timeout for headers and for a body of /rpc; idle timeout for everything else. */
  bodyMs: number
  running: number
  /** Concurrent runs of one token, or of one address. */
  runsPerCaller: number
  /** True if there can be several callers, which share the runs and do not trust each other. */
  hasSeveralCallers: boolean
  waiting: number
  /** Limit per token, and per remote address without one. */
  callsPerSecond: number
  /** Hourly quotas of a caller without quotas of its own. */
  quotas: DefaultQuotas
}

/** Options and dependencies of a server. */
export interface ServerOptions {
  runtime: Runtime
  trust: Trust
  /** Undefined disables authentication: every caller has all scopes. */
  tokens: TokenBook | undefined
  limits: ServerLimits
  cwd: string
  /** Environment in which programs are found, and source of variables that runs inherit. */
  env: Readonly<Record<string, string | undefined>>
  /** Allows skills to use the network hosts that they declare. */
  allowNetwork: boolean
  log: RequestLog
  /** Undefined if no exporter is configured. */
  spans?: SpanSink | undefined
  /** Handler of /mcp; undefined if it is not served. */
  mcp?: McpEndpoint | undefined
  /** Performs calls elsewhere. By default, this process performs all of them. */
  perform?: MethodPerformer | undefined
  /** The queue of runs that are performed elsewhere. */
  runQueue?: RunQueue | undefined
  /** Limits call rates together with other servers. By default, this server counts alone. */
  rateLimiter?: RateLimiter | undefined
  /** Counts what callers use together with other servers. By default, this server counts alone. */
  useCounter?: UseCounter | undefined
  /** The node of a fleet that this server is. */
  node?: ServedNode | undefined
  /** Serves the console below /console. */
  hasConsole?: boolean
  /** Sessions of browsers that opened a link; undefined if no link is printed. */
  consoleSessions?: ConsoleSessions | undefined
}

/** State with the lifetime of the server. */
export interface ServerContext extends Omit<
  ServerOptions,
  'runQueue' | 'rateLimiter' | 'useCounter'
> {
  rpc: Rpc
  runQueue: RunQueue
  rateLimiter: RateLimiter
  quotas: UsageQuotas
  runs: LiveRuns
  /** Receives what the console shows as it happens. */
  consoleEvents: ConsoleEvents
  metrics: Metrics
  /** Returns the metric label of a skill. The number of distinct labels is limited. */
  skillLabel(name: string): string
  /** Parts whose last change was refused, so that their earlier state is in use. */
  refusedParts: () => readonly string[]
  /** The same of a caller, whose names are those of tokens. */
  callerLabel(name: string): string
  /** Aborted when running calls must end. */
  closing: AbortSignal
  /** Aborts `closing`. */
  endRuns(): void
}

/** Creates the state. Starts nothing. */
export function createServerContext(options: ServerOptions): ServerContext {
  const { runtime, limits } = options
  const runQueue =
    options.runQueue ?? new BoundedRunQueue({ ...limits, perPrincipal: limits.runsPerCaller })
  const runs = createLiveRuns(runtime.ids, async (id) => await options.node?.findRun(id))
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)
  const context: ServerContext = {
    ...options,
    // Some limits change when the configuration is loaded again.
    limits: { ...limits },
    rpc: createRpc({
      runtime,
      methods: METHODS,
      privateFolders: listPrivateFolders(options),
      perform: options.perform,
    }),
    runQueue,
    runs,
    consoleEvents: new ConsoleEvents(),
    rateLimiter: options.rateLimiter ?? makeRateLimiter(limits.callsPerSecond),
    quotas: new UsageQuotas(
      limits.quotas,
      observeUsage(() => context),
      options.useCounter,
    ),
    metrics: createServerMetrics(runtime, {
      runQueue,
      runs,
      countRefusedParts: () => context.refusedParts().length,
    }),
    skillLabel: createBoundedLabel(),
    callerLabel: createBoundedLabel(),
    refusedParts: () => [],
    closing: closing.signal,
    endRuns: () => closing.abort(),
  }
  return context
}

function listPrivateFolders({ runtime, cwd, env }: ServerOptions): string[] {
  const { roots, directories } = runtime.config
  const all = [...roots, BUILTIN_SKILLS, directories.data, directories.cache, cwd, env['HOME']]
  return all.filter((each) => each !== undefined)
}

interface MeasuredContext {
  metrics: Metrics
  callerLabel(name: string): string
}

/** Units of the metrics, and how many amounts make one of them. */
const UNITS: Record<QuotaResource, { resource: string; size: number }> = {
  cpuMs: { resource: 'cpu_seconds', size: 1000 },
  blobBytes: { resource: 'blob_bytes', size: 1 },
  skills: { resource: 'skills', size: 1 },
}

/** Counts in the metrics what callers use, and what was refused. */
function observeUsage(context: () => MeasuredContext): UsageObserver {
  return {
    onUsed({ name }, used, amount) {
      const { resource, size } = UNITS[used]
      const labels = { caller: context().callerLabel(name), resource }
      context().metrics.count('skills_caller_usage_total', labels, amount / size)
    },
    onRefused({ name }, refused) {
      const { resource } = UNITS[refused]
      const labels = { caller: context().callerLabel(name), resource }
      context().metrics.count('skills_quota_refused_total', labels)
    },
  }
}
