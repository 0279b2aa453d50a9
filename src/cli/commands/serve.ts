import { createRuntime, type Runtime } from '../../core/runtime.ts'
import type { RequestLog } from '../../server/telemetry/request-log.ts'
import type { RunningServer } from '../../server/serve.ts'
import { SkillsError } from '../../errors.ts'
import { parseDurationOption } from '../../util/quantity.ts'
import {
  getFlagOption,
  getListOption,
  getTextOption,
  type CommandLine,
  type CommandDefinition,
} from '../command.ts'
import type { Context } from '../context.ts'
import { openConfig } from '../runtime.ts'
import { announceReady } from '../serve/ready-message.ts'
import { openServerLog, readPort, readTokens } from '../serve/read-options.ts'
import { chooseTools, TOOL_OPTIONS } from '../mcp/choose-tools.ts'

const NOT_RUN = 'runs until it is stopped'

export const command: CommandDefinition = {
  summary: 'Serve skills to agents over HTTP',
  details: [
    'Serve skills to agents over HTTP.',
    '',
    '- POST /rpc: the Skills Protocol, as JSON-RPC 2.0',
    '- /mcp: MCP',
    '',
    'The server accepts connections from this machine only, unless --host is',
    'set. On a signal it rejects new calls and gives runs --grace to finish.',
  ].join('\n'),
  untilStopped: true,
  options: [
    {
      flags: '--port <number>',
      description: 'Listen on this port; 0 selects a free one',
      default: '8080',
    },
    { flags: '--host <address>', description: 'Listen on this address', default: '127.0.0.1' },
    {
      flags: '--token-file <file>',
      description:
        'Require a token from this file, one per line: token, name, scopes (read,run,write)',
    },
    { flags: '--no-auth', description: 'Require no token, on any address' },
    {
      flags: '--allow-host <name>',
      description: 'Accept this host name as well (repeatable)',
      isRepeatable: true,
    },
    {
      flags: '--allow-origin <origin>',
      description: 'Allow calls from web pages of this origin (repeatable)',
      isRepeatable: true,
    },
    ...TOOL_OPTIONS,
    { flags: '--allow-network', description: 'Allow skills to use their declared network' },
    {
      flags: '--secrets-file <file>',
      description: 'Read secrets from NAME=value lines in this file',
    },
    { flags: '--watch', description: 'Reload changed skills immediately (default on a terminal)' },
    {
      flags: '--no-watch',
      description: 'Serve the skills found at the start (default without a terminal)',
    },
    {
      flags: '--grace <duration>',
      description: 'Give runs this time to finish on shutdown (default: "10s")',
    },
    {
      flags: '--log-format <format>',
      description: 'Select the log format (default: text on a terminal, else json)',
      choices: ['text', 'json'],
    },
  ],
  examples: [
    { command: 'skills serve', explains: 'Serve programs on this machine', notRun: NOT_RUN },
    {
      command: 'skills serve --port 0 --json',
      explains: 'Use a free port and report it as JSON',
      notRun: NOT_RUN,
    },
    {
      command: 'skills serve --host 0.0.0.0 --token-file tokens.txt',
      explains: 'Serve other machines, with tokens',
      notRun: NOT_RUN,
    },
  ],
  async run(context, call) {
    const grace = parseGrace(getTextOption(call, 'grace'))
    const log = await openServerLog(context, call)
    try {
      const { server, runtime } = await startServer(context, call, log)
      await waitUntilStopped(context.signal)
      context.note('Stopping: waiting for runs to finish; press Ctrl-C to end them')
      await server.stop(grace ?? runtime.config.serve.graceMs)
    } finally {
      log.flush?.()
    }
    return 0
  },
}

async function startServer(
  context: Context,
  call: CommandLine,
  log: RequestLog,
): Promise<{ server: RunningServer; runtime: Runtime }> {
  const port = readPort(getTextOption(call, 'port') ?? '')
  const tokens = await readTokens(context, call)
  const isWatching = call.options['watch'] ?? context.stderr.isTTY === true
  const { createLastGood } = await import('../../core/skills/repository/last-good.ts')
  const lastGood = isWatching === true ? createLastGood() : undefined
  const { config } = await openConfig(context, {
    'secrets.file': getTextOption(call, 'secretsFile'),
  })
  const runtime = createRuntime({ config, lastGood, tracking: 'pinned' })
  // Loading the policy now reports an invalid file before any run.
  await runtime.policy()
  const mcp = await openMcpEndpoint(call, { runtime, log })
  const { serve } = await import('../../server/serve.ts')
  const server = await serve({
    runtime,
    lastGood,
    port,
    tokens,
    log,
    mcp,
    host: getTextOption(call, 'host') ?? '',
    noAuth: call.options['auth'] === false,
    allowedHosts: getListOption(call, 'allowHost'),
    allowedOrigins: getListOption(call, 'allowOrigin'),
    allowNetwork: getFlagOption(call, 'allowNetwork'),
    spans: await openSpans(context, log),
    cwd: context.cwd,
    env: removeToken(context.env),
  })
  announceReady(context, {
    url: server.url,
    port: server.port,
    skills: (await runtime.repository.list()).length,
    isolation: await detectIsolation(runtime, context.env),
    auth: tokens ? 'token' : 'none',
    watch: lastGood !== undefined,
    maxRuns: server.maxRuns,
  })
  return { server, runtime }
}

async function openMcpEndpoint(
  call: CommandLine,
  { runtime, log }: { runtime: Runtime; log: RequestLog },
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

async function detectIsolation(
  { config, sandboxes }: Runtime,
  env: Context['env'],
): Promise<string> {
  const { name } = await sandboxes.openBackend(config.run.backend, env)
  return config.run.requireIsolation === 'strict' ? `${name}, strict` : name
}

/** Runs must not see the token of the server that runs them. */
function removeToken(env: Context['env']): Context['env'] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name !== 'SKILLS_TOKEN'))
}

function parseGrace(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = parseDurationOption(text)
  if (ms !== undefined) return ms
  throw new SkillsError('usage/invalid', `Expected a duration such as 10s, got "${text}"`)
}

function waitUntilStopped(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) return done()
    signal.addEventListener('abort', () => done(), { once: true })
  })
}
