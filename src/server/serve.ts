import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { getUploadsRoot } from '../core/skills/uploads/uploads-root.ts'
import type { LastGood } from '../core/skills/repository/last-good.ts'
import { SkillsError } from '../errors.ts'
import { isLoopback, LOOPBACK_NAMES, type Trust } from './auth/host-check.ts'
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
  /** 0 takes any free one. */
  port: number
  /** The operator said that nobody needs a token. */
  noAuth: boolean
  /** Besides those of the configuration. */
  allowedHosts: readonly string[]
  allowedOrigins: readonly string[]
  /** The one of the runtime: edits of skills are watched where it is given. */
  lastGood: LastGood | undefined
}

/** A server that is up. */
export interface RunningServer {
  readonly url: string
  readonly port: number
  /** Runs at the same time. */
  readonly maxRuns: number
  /** Takes no more calls, lets runs finish for a while, ends the rest. */
  stop(graceMs: number): Promise<void>
}

/** In which killed runs are to be gone. */
const KILL_TIMEOUT_MS = 5000

/** Starts a server; refuses what others could reach without a token. */
export async function serve(given: ServeOptions): Promise<RunningServer> {
  const options = { ...given, host: normalizeHost(given.host) }
  const { host, port, runtime, log } = options
  if (host === '') throw hostRequiredError()
  if (!isLoopback(host) && !options.tokens && !options.noAuth) throw tokenRequiredError(host)
  const limits = resolveLimits(runtime.config.serve)
  const services = createServerContext({ ...options, limits, trust: resolveTrust(options) })
  const listening = await listen(services, { host, port })
  // It answers already; only whoever waits for it to be ready waits for this.
  const unwatch = await startWatching(services, options.lastGood)
  void reportProblems(services)
  await keepWarm(services)
  const swept = sweepAtStart(runtime, log)
  return {
    url: listening.url,
    port: listening.port,
    maxRuns: limits.running,
    async stop(graceMs) {
      services.runQueue.close()
      unwatch()
      const late = setTimeout(() => services.endRuns(), graceMs)
      services.mcp?.drain()
      // Nobody waits for the end of what goes on between calls.
      void runtime.liveSessions().then(async (sessions) => await sessions.endAll())
      // What does not go away even when it is told to is cut off.
      await listening.close(graceMs + KILL_TIMEOUT_MS)
      clearTimeout(late)
      services.endRuns()
      await services.mcp?.close()
      await (await runtime.liveSessions()).endAll()
      await runtime.sandboxes.stop()
      // What is half swept is as good as swept, but nobody shall write here any more.
      await Promise.race([swept, sleep(KILL_TIMEOUT_MS, undefined, { ref: false })])
      await services.spans?.flush()
    },
  }
}

/** What is broken from the start is said at the start. */
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
  const own = isLoopback(host) ? [host] : [host, hostname()]
  const names = [...LOOPBACK_NAMES, ...own, ...allowedHosts, ...allowed.allowedHosts]
  return {
    hosts: parseTrustedHosts(names),
    anyAddress: !isLoopback(host),
    origins: parseTrustedOrigins([...allowedOrigins, ...allowed.allowedOrigins]),
  }
}

/** Node would take any address for none. */
function hostRequiredError(): SkillsError {
  return new SkillsError('usage/invalid', 'Expected an address to listen on, got ""', {
    hint: 'Take this machine only: skills serve --host 127.0.0.1',
  })
}

function tokenRequiredError(host: string): SkillsError {
  return new SkillsError(
    'usage/invalid',
    `Others could reach this server on "${host}", so it needs a token`,
    { hint: 'Name a file of tokens with --token-file, set SKILLS_TOKEN, or say --no-auth' },
  )
}
