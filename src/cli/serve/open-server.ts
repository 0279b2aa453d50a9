import { removeGuide } from '../../core/skills/repository/remove-guide.ts'
import { createPolicySource } from '../../core/policy/load-policy.ts'
import { detectIsolation } from '../../core/sandbox/detect-isolation.ts'
import { createRuntime, type Runtime } from '../../core/runtime.ts'
import { SkillsError } from '../../errors.ts'
import { createServedPolicy } from '../../server/reload/served-policy.ts'
import type { TokenSource } from '../../server/reload/server-parts.ts'
import type { RunningServer, ServeOptions } from '../../server/serve.ts'
import type { RequestLog } from '../../server/telemetry/request-log.ts'
import { allowsFastPaths } from '../../core/config/fast-paths.ts'
import { getFlagOption, getListOption, getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { chooseTools } from '../mcp/choose-tools.ts'
import type { LoadedConfig } from '../../core/config/load-config.ts'
import type { TokenBook } from '../../server/auth/tokens.ts'
import type { LastGood } from '../../core/skills/repository/last-good.ts'
import type { FleetFront } from '../fleet/open-front.ts'
import { openConfig } from '../runtime.ts'
import { DEFAULT_PORT } from './choose-port.ts'
import { createConsoleLinks } from './console-link.ts'
import { announceReady, type ReadyFacts } from './ready-message.ts'
import {
  findTokenFile,
  reloadTokenFile,
  readPort,
  readTokens,
  type openServerLog,
} from './read-options.ts'

/** A server, and the link to its console if one is needed. */
interface OpenedServer {
  server: RunningServer
  runtime: Runtime
  link: string | undefined
  /** Resolves when an operator of the fleet asks this node to stop. */
  drained: Promise<void> | undefined
}

/** The parts of a server that are read before it starts. */
interface ServerParts {
  address: ServerAddress
  tokens: TokenBook | undefined
  loadConfig: () => Promise<LoadedConfig>
  loaded: LoadedConfig
  front: FleetFront | undefined
  log: RequestLog
}

type ServerAddress = Pick<
  ServeOptions,
  'host' | 'port' | 'noAuth' | 'allowedHosts' | 'allowedOrigins'
>

/**
 * Starts the server of a command line and reports that it is ready. Returns the link to its console, if
 * one is needed.
 */
export async function openServer(
  context: Context,
  call: CommandLine,
  log: RequestLog,
): Promise<OpenedServer> {
  const address = readAddress(call)
  const tokens = await readTokens(context, call)
  const loadConfig = async () => await openConfig(context, readSettings(call))
  const loaded = await loadConfig()
  const front = await openFleetFront(context, call, { loaded, tokens, log })
  try {
    return await startServer(context, call, { address, tokens, loadConfig, loaded, front, log })
  } catch (error) {
    await front?.close()
    throw error
  }
}

async function startServer(
  context: Context,
  call: CommandLine,
  { address, loadConfig, loaded, front, log, ...options }: ServerParts,
): Promise<OpenedServer> {
  const links = createConsoleLinks(context)
  const lastGood = await openLastGood(context, call)
  const tokens = options.tokens ?? front?.tokens?.load()
  const { runtime, policy } = await openServedRuntime(context, front?.origins ?? loaded, {
    lastGood,
    front,
  })
  const mcp = await openMcpEndpoint(call, { runtime, log, front })
  const { serve } = await import('../../server/serve.ts')
  const server = await serve({
    ...address,
    tokens,
    runtime,
    lastGood,
    log,
    mcp,
    ...front?.serving,
    allowNetwork: getFlagOption(call, 'allowNetwork'),
    console: call.options['console'] !== false,
    showConsoleLink: links.show,
    spans: await openSpans(context, log),
    cwd: context.cwd,
    env: removeToken(context.env),
    reload: {
      configuration: { files: loaded.files, load: loadConfig },
      tokens: createTokenSource(context, call, front),
      policy,
    },
  })
  if (getFlagOption(call, 'open')) await requireConsole(server)
  const link = links.last
  announceReady(context, {
    console: link ?? server.consoleUrl ?? null,
    url: server.url,
    port: server.port,
    skills: removeGuide(await runtime.repository.list()).length,
    auth: tokens ? 'token' : 'none',
    watch: lastGood !== undefined,
    ...(await describeCapacity({ runtime, server, front }, context.env)),
  })
  links.printNext()
  return { server: closeWithServer(server, front), runtime, link, drained: front?.drained }
}

/** Describes the machine that performs the runs: this one, or the workers of a fleet. */
async function describeCapacity(
  { runtime, server, front }: Pick<OpenedServer, 'runtime' | 'server'> & Pick<ServerParts, 'front'>,
  env: Context['env'],
): Promise<Pick<ReadyFacts, 'isolation' | 'maxRuns' | 'workers'>> {
  if (!front) {
    const isolation = await detectIsolation(runtime, env)
    return { isolation, maxRuns: server.maxRuns, workers: null }
  }
  const { isolation, places, count } = front.describeWorkers()
  return { isolation, maxRuns: places, workers: count }
}

/** Returns the source from which tokens are loaded again: a file, or the fleet. */
function createTokenSource(
  context: Context,
  call: CommandLine,
  front: FleetFront | undefined,
): TokenSource | undefined {
  const file = findTokenFile(context, call)
  if (file !== undefined) return { file, load: () => reloadTokenFile(context, file) }
  const fleet = front?.tokens
  return fleet && { follow: (onChange) => fleet.follow(onChange), load: async () => fleet.load() }
}

/** Opens the runtime of a server, whose stores are those of a fleet if there is one. */
async function openServedRuntime(
  { env }: Context,
  origins: LoadedConfig,
  { lastGood, front }: { lastGood: LastGood | undefined; front: FleetFront | undefined },
) {
  const { config } = origins
  const policy = createServedPolicy(createPolicySource(config), config.policy)
  const runtime = createRuntime({
    config,
    origins,
    lastGood,
    tracking: 'pinned',
    fastPaths: allowsFastPaths(env),
    stores: { ...front?.stores, policy: policy.source },
    runsInOtherProcesses: front === undefined,
    startDetached: front?.startDetached,
  })
  front?.onSkillsChanged(() => void runtime.repository.refresh())
  // Loading the policy now reports an invalid file before any run.
  await runtime.policy()
  return { runtime, policy: policy.part }
}

/** Opens the front of a fleet, if the command line names one. */
async function openFleetFront(
  context: Context,
  call: CommandLine,
  options: { loaded: LoadedConfig; tokens: TokenBook | undefined; log: RequestLog },
): Promise<FleetFront | undefined> {
  if (getTextOption(call, 'fleet') === undefined) return undefined
  const { openFleetFront: open } = await import('../fleet/open-front.ts')
  return await open(context, call, options)
}

/** The front tells the fleet that it stops, and its connection ends after the last call. */
function closeWithServer(server: RunningServer, front: FleetFront | undefined): RunningServer {
  if (!front) return server
  return {
    ...server,
    async stop(graceMs) {
      front.drain()
      await server.stop(graceMs)
      await front.close()
    },
  }
}

/** Skills from before an edit broke them, for a server that watches edits. */
async function openLastGood(context: Context, call: CommandLine) {
  const isWatching = call.options['watch'] ?? context.stderr.isTTY === true
  const { createLastGood } = await import('../../core/skills/repository/last-good.ts')
  return isWatching === true ? createLastGood() : undefined
}

/** Throws if there is nothing to open. */
async function requireConsole(server: RunningServer): Promise<void> {
  if (server.consoleUrl !== undefined) return
  await server.stop(0)
  throw new SkillsError('usage/invalid', 'This server has no console that could be opened', {
    hint: 'Remove --no-console, and require a token if other machines can reach it',
  })
}

/** Reads the options that decide on the address, besides the tokens. */
export function readAddress(call: CommandLine): ServerAddress {
  return {
    port: readPort(getTextOption(call, 'port') ?? DEFAULT_PORT),
    host: getTextOption(call, 'host') ?? '',
    noAuth: call.options['auth'] === false,
    allowedHosts: getListOption(call, 'allowHost'),
    allowedOrigins: getListOption(call, 'allowOrigin'),
  }
}

/** Settings of the command line, by key. */
export function readSettings(call: CommandLine): Record<string, unknown> {
  return { 'secrets.file': getTextOption(call, 'secretsFile') }
}

async function openMcpEndpoint(
  call: CommandLine,
  { runtime, log, front }: { runtime: Runtime; log: RequestLog; front: FleetFront | undefined },
) {
  const { methods, instructions } = await chooseTools(call)
  const { createLazyMcpHttpHandler } = await import('../../mcp/http/lazy-http-handler.ts')
  const { VERSION: version } = await import('../version.ts')
  const onNotice = (message: string, reason: string) => log.write('warn', message, { reason })
  return createLazyMcpHttpHandler({
    runtime,
    version,
    methods,
    onNotice,
    ...(front && { sessionPrefix: `${front.serving.node.name}.` }),
    instructions: async () => await instructions(runtime),
  })
}

async function openSpans(context: Context, log: Awaited<ReturnType<typeof openServerLog>>) {
  const { readExporterConfig } = await import('../../server/telemetry/exporter-config.ts')
  const config = readExporterConfig(context.env)
  if (!config) return undefined
  const { createSpanExporter } = await import('../../server/telemetry/spans.ts')
  return createSpanExporter(config, log)
}

/** Runs must not see the token of the server that runs them. */
function removeToken(env: Context['env']): Context['env'] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name !== 'SKILLS_TOKEN'))
}
