import { hostname } from 'node:os'
import { setTimeout as sleep, setImmediate } from 'node:timers/promises'
import { getUploadsRoot } from '../core/skills/uploads/uploads-root.ts'
import type { LastGood } from '../core/skills/repository/last-good.ts'
import { endAllSessions } from '../core/workspaces/sessions/end-sessions.ts'
import { SkillsError } from '../errors.ts'
import { isLoopbackHost } from '../util/loopback-host.ts'
import { LOOPBACK_NAMES, type Trust } from './auth/host-check.ts'
import { ConsoleSessions } from './console/console-sessions.ts'
import { adoptDetachedRuns } from './runs/adopt-detached.ts'
import { keepWarm } from './runs/keep-warm.ts'
import { ReloadableTokens } from './auth/reloadable-tokens.ts'
import { hasSeveralTokens } from './auth/tokens.ts'
import { resolveLimits } from './limits.ts'
import { listen, tryPort } from './http/listen.ts'
import { Reloader } from './reload/reloader.ts'
import { listReloadParts, type ReloadSources } from './reload/server-parts.ts'
import { createServerContext, type ServerOptions, type ServerContext } from './server-context.ts'
import { sweepAtStart } from './sweep-at-start.ts'
import { normalizeHost, parseTrustedHosts, parseTrustedOrigins } from './auth/trust.ts'
import { METHODS } from '../core/methods/index.ts'

export interface ServeOptions extends Pick<
  ServerOptions,
  | 'runtime'
  | 'tokens'
  | 'cwd'
  | 'env'
  | 'allowNetwork'
  | 'log'
  | 'spans'
  | 'mcp'
  | 'perform'
  | 'runQueue'
  | 'node'
  | 'rateLimiter'
  | 'useCounter'
> {
  host: string
  /** 0 selects a free port. */
  port: number
  /** True if the operator disabled authentication. */
  noAuth: boolean
  /** False serves no console. */
  console?: boolean | undefined
  /**
   * Shows a link that opens the console, where tokens are required. Called at the start, and with a new
   * link when one was used. The link is a secret, so it belongs on a terminal and in no log.
   */
  showConsoleLink?: ((link: string) => void) | undefined
  /** Added to those of the configuration. */
  allowedHosts: readonly string[]
  allowedOrigins: readonly string[]
  /** The instance of the runtime. If set, edits of skills are watched. */
  lastGood: LastGood | undefined
  /** Timeout of request bodies, if not that of every server. */
  bodyMs?: number | undefined
  /** Sources from which parts are loaded again on request and when their files change. */
  reload?: ReloadSources | undefined
}

/** Options that decide on the address of a server and on the names that it answers to. */
type AddressOptions = Pick<
  ServeOptions,
  'host' | 'port' | 'tokens' | 'noAuth' | 'allowedHosts' | 'allowedOrigins'
> & { runtime: Pick<ServeOptions['runtime'], 'config'> }

/** A running server. */
export interface RunningServer {
  readonly url: string
  readonly port: number
  /** Address of the console for browsers of this machine; undefined if it is not served. */
  readonly consoleUrl: string | undefined
  /** Number of parallel runs. */
  readonly maxRuns: number
  /**
   * Loads configuration, tokens, policy and skills again. A part that is not valid stays as it was;
   * the log states the reason.
   */
  reload(): Promise<void>
  /** Accepts no more calls, lets runs finish for `graceMs`, then cancels the rest. */
  stop(graceMs: number): Promise<void>
}

/** Time for cancelled runs to exit. */
const KILL_TIMEOUT_MS = 5000

/** Starts a server. Throws if other machines could reach it without a token. */
export async function serve(rawOptions: ServeOptions): Promise<RunningServer> {
  const options = { ...rawOptions, host: resolveHost(rawOptions) }
  const { host, port, runtime, log } = options
  const limits = {
    ...resolveLimits(runtime.config, hasSeveralCallers(options)),
    ...(options.bodyMs !== undefined && { bodyMs: options.bodyMs }),
  }
  const tokens = options.reload?.tokens && options.tokens
  const context = createServerContext({
    ...options,
    ...(tokens && { tokens: new ReloadableTokens(tokens) }),
    limits,
    trust: resolveTrust(options),
    ...createConsole(options),
  })
  const reloader = createReloader(context, options)
  const stopAdopting = await adoptDetachedRuns(context)
  const listening = await listen(context, { host, port })
  const consoleUrl = context.hasConsole ? buildConsoleUrl(listening.url) : undefined
  // The server already responds; only readiness waits for these steps.
  const stopWatching = await startWatching(context, options.lastGood)
  void reportProblems(context)
  void preloadMethods().catch((error: unknown) =>
    log.write('error', 'A method cannot be loaded', { reason: String(error) }),
  )
  await keepWarm(context)
  const sweeping = sweepAtStart(runtime, log)
  reloader.start()
  if (consoleUrl !== undefined && context.consoleSessions && options.showConsoleLink)
    showConsoleLinks(context.consoleSessions, consoleUrl, options.showConsoleLink)
  return {
    url: listening.url,
    consoleUrl,
    port: listening.port,
    maxRuns: limits.running,
    reload: async () => await reloader.reload(),
    async stop(graceMs) {
      reloader.stop()
      // Tabs of the console would keep their connections for the whole grace period.
      context.consoleEvents.close()
      context.runQueue.close()
      stopWatching()
      stopAdopting()
      const timer = setTimeout(() => context.endRuns(), graceMs)
      context.mcp?.drain()
      // Sessions between calls end without delaying the shutdown.
      void runtime.liveSessions().then(async (sessions) => await sessions.endAll())
      // Connections of runs that do not end after cancellation are closed.
      const endMs = graceMs + KILL_TIMEOUT_MS
      await Promise.all([listening.close(endMs), context.node?.finish(endMs)])
      clearTimeout(timer)
      context.endRuns()
      await context.mcp?.close()
      await endAllSessions(runtime)
      await runtime.sandboxes.stop()
      // An interrupted sweep is harmless, but no process may write to the store after the stop.
      await Promise.race([sweeping, sleep(KILL_TIMEOUT_MS, undefined, { ref: false })])
      await context.spans?.flush()
    },
  }
}

function createReloader(context: ServerContext, options: ServeOptions): Reloader {
  const parts = listReloadParts(context, options.reload ?? {}, {
    applyTrust: () => void (context.trust = resolveTrust(options)),
    hasSeveralCallers: () => hasSeveralCallers({ host: options.host, tokens: context.tokens }),
  })
  const reloader = new Reloader(parts, context.log, (part, result) => {
    context.metrics.count('skills_reloads_total', { part, result })
    context.consoleEvents.checkCallers()
    context.consoleEvents.reportReload({ part, result })
  })
  context.refusedParts = () => reloader.refused
  return reloader
}

/** True if more than one token is accepted, or callers of several addresses without one. */
function hasSeveralCallers({ host, tokens }: Pick<ServeOptions, 'host' | 'tokens'>): boolean {
  return tokens ? hasSeveralTokens(tokens) : !isLoopbackHost(host)
}

/**
 * The console is served to this machine, or to callers with tokens: other machines would find it open
 * to everyone. Its links replace a token, so they exist only where one is required.
 */
function createConsole(
  options: ServeOptions,
): Pick<ServerOptions, 'hasConsole' | 'consoleSessions'> {
  const { console, host, tokens, showConsoleLink } = options
  if (console === false || !(tokens || isLoopbackHost(host))) return {}
  return {
    hasConsole: true,
    ...(tokens && showConsoleLink && { consoleSessions: new ConsoleSessions() }),
  }
}

/** Checks the address of a server without serving. Throws what `serve` would throw. */
export async function checkAddress(options: AddressOptions): Promise<void> {
  const host = resolveHost(options)
  resolveTrust({ ...options, host })
  await tryPort({ host, port: options.port })
}

/** Returns the address to listen on. Throws if other machines could use it without a token. */
function resolveHost({ host: text, tokens, noAuth }: Omit<AddressOptions, 'runtime'>): string {
  const host = normalizeHost(text)
  if (host === '') throw hostRequiredError()
  if (!isLoopbackHost(host) && !tokens && !noAuth) throw tokenRequiredError(host)
  return host
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
  { runtime, log, mcp, consoleEvents }: ServerContext,
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
    onEdit() {
      mcp?.notifySkillsChanged()
      consoleEvents.reportSkills()
    },
  })
}

function resolveTrust({ host, runtime, ...allowed }: AddressOptions): Trust {
  const { allowedHosts, allowedOrigins } = runtime.config.serve
  const ownNames = isLoopbackHost(host) ? [host] : [host, hostname()]
  const names = [...LOOPBACK_NAMES, ...ownNames, ...allowedHosts, ...allowed.allowedHosts]
  return {
    hosts: parseTrustedHosts(names),
    anyAddress: !isLoopbackHost(host),
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

/** Names of this machine for addresses that mean every one of its addresses. */
const OWN_ADDRESSES: Readonly<Record<string, string>> = {
  '//0.0.0.0:': '//127.0.0.1:',
  '//[::]:': '//[::1]:',
}

/** The address of the console for a browser of this machine. */
function buildConsoleUrl(url: string): string {
  const own = url.replace(/\/\/(?:0\.0\.0\.0|\[::\]):/, (match) => OWN_ADDRESSES[match] ?? match)
  return `${own}/console/`
}

/** Shows a link to the console, and another one each time that one was used. */
function showConsoleLinks(
  sessions: ConsoleSessions,
  consoleUrl: string,
  show: (link: string) => void,
): void {
  // Browsers send no fragment to a server, so the token is in no log.
  sessions.onOpened = () => show(`${consoleUrl}#token=${sessions.createLinkToken()}`)
  sessions.onOpened()
}

/**
 * Loads the modules of all methods, one at a time between requests. Node caches a failed import for
 * good, so a first call without free file descriptors would break its method until the restart.
 */
async function preloadMethods(): Promise<void> {
  const loads = [
    ...METHODS.map((method) => () => method.load()),
    async () => await import('../core/runs/perform-run.ts'),
    async () => await import('../core/runs/supervise/function.ts'),
    async () => await import('../core/runs/supervise/program.ts'),
  ]
  for (const load of loads) {
    await load()
    await setImmediate()
  }
}
