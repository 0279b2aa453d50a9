import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { getUploadsRoot } from '../core/skills/uploads/uploads-root.ts'
import type { LastGood } from '../core/skills/repository/last-good.ts'
import { SkillsError } from '../errors.ts'
import { isLoopback, LOOPBACK_NAMES, type Trust } from './auth/host-check.ts'
import { preloadMethods } from './preload-methods.ts'
import { keepWarm } from './runs/keep-warm.ts'
import { resolveLimits } from './limits.ts'
import { listen } from './http/listen.ts'
import { createServerContext, type ServerOptions, type ServerContext } from './server-context.ts'
import { sweepAtStart } from './sweep-at-start.ts'
import { normalizeHost, parseTrustedHosts, parseTrustedOrigins } from './auth/trust.ts'

export interface ServeOptions extends Pick<
  ServerOptions,
  'runtime' | 'tokens' | 'cwd' | 'env' | 'allowNetwork' | 'log' | 'spans' | 'mcp'
> {
  host: string
  /** 0 selects a free port. */
  port: number
  /** True if the operator disabled authentication. */
  noAuth: boolean
  /** Added to those of the configuration. */
  allowedHosts: readonly string[]
  allowedOrigins: readonly string[]
  /** The instance of the runtime. If set, edits of skills are watched. */
  lastGood: LastGood | undefined
}

/** A running server. */
export interface RunningServer {
  readonly url: string
  readonly port: number
  /** Number of parallel runs. */
  readonly maxRuns: number
  /** Accepts no more calls, lets runs finish for `graceMs`, then cancels the rest. */
  stop(graceMs: number): Promise<void>
}

/** Time for cancelled runs to exit. */
const KILL_TIMEOUT_MS = 5000

/** Starts a server. Throws if other machines could reach it without a token. */
export async function serve(rawOptions: ServeOptions): Promise<RunningServer> {
  const options = { ...rawOptions, host: normalizeHost(rawOptions.host) }
  const { host, port, runtime, log } = options
  if (host === '') throw hostRequiredError()
  if (!isLoopback(host) && !options.tokens && !options.noAuth) throw tokenRequiredError(host)
  const limits = resolveLimits(runtime.config.serve)
  const context = createServerContext({ ...options, limits, trust: resolveTrust(options) })
  const listening = await listen(context, { host, port })
  // The server already responds; only readiness waits for these steps.
  const stopWatching = await startWatching(context, options.lastGood)
  void reportProblems(context)
  void preloadMethods().catch((error: unknown) =>
    log.write('error', 'A method cannot be loaded', { reason: String(error) }),
  )
  await keepWarm(context)
  const sweeping = sweepAtStart(runtime, log)
  return {
    url: listening.url,
    port: listening.port,
    maxRuns: limits.running,
    async stop(graceMs) {
      context.runQueue.close()
      stopWatching()
      const timer = setTimeout(() => context.endRuns(), graceMs)
      context.mcp?.drain()
      // Sessions between calls end without delaying the shutdown.
      void runtime.liveSessions().then(async (sessions) => await sessions.endAll())
      // Connections of runs that do not end after cancellation are closed.
      await listening.close(graceMs + KILL_TIMEOUT_MS)
      clearTimeout(timer)
      context.endRuns()
      await context.mcp?.close()
      await (await runtime.liveSessions()).endAll()
      await runtime.sandboxes.stop()
      // An interrupted sweep is harmless, but no process may write to the store after the stop.
      await Promise.race([sweeping, sleep(KILL_TIMEOUT_MS, undefined, { ref: false })])
      await context.spans?.flush()
    },
  }
}

/** Logs skills that are broken at startup. */
async function reportProblems({ runtime, log }: ServerContext): Promise<void> {
  try {
    for (const { path, message } of await runtime.repository.problems()) {
      log.write('warn', `"${path}" is not used`, { reason: message })
    }
  } catch (error) {
    log.write('error', 'The skills cannot be read', { reason: String(error) })
  }
}

async function startWatching(
  { runtime, log, mcp }: ServerContext,
  lastGood: LastGood | undefined,
): Promise<() => void> {
  if (!lastGood) return () => {}
  const { watchSkills } = await import('./watch/watch-skills.ts')
  const { repository, config } = runtime
  const roots = [...config.roots, getUploadsRoot(config.directories.data)]
  return await watchSkills({
    repository,
    roots,
    lastGood,
    log,
    onEdit: mcp && (() => mcp.notifySkillsChanged()),
  })
}

function resolveTrust({ host, runtime, ...allowed }: ServeOptions): Trust {
  const { allowedHosts, allowedOrigins } = runtime.config.serve
  const ownNames = isLoopback(host) ? [host] : [host, hostname()]
  const names = [...LOOPBACK_NAMES, ...ownNames, ...allowedHosts, ...allowed.allowedHosts]
  return {
    hosts: parseTrustedHosts(names),
    anyAddress: !isLoopback(host),
    origins: parseTrustedOrigins([...allowedOrigins, ...allowed.allowedOrigins]),
  }
}

/** Node.js would listen on all addresses. */
function hostRequiredError(): SkillsError {
  return new SkillsError('usage/invalid', 'Expected an address to listen on, got ""', {
    hint: 'Listen on this machine only: skills serve --host 127.0.0.1',
  })
}

function tokenRequiredError(host: string): SkillsError {
  return new SkillsError(
    'usage/invalid',
    `Other machines can reach this server on "${host}", so it requires a token`,
    { hint: 'Pass a token file with --token-file, set SKILLS_TOKEN, or pass --no-auth' },
  )
}
