import type { RunningServer } from '../../server/serve.ts'
import { SkillsError } from '../../errors.ts'
import { parseDurationOption } from '../../util/quantity.ts'
import { getFlagOption, getTextOption, type CommandDefinition } from '../command.ts'
import type { Context } from '../context.ts'
import { openServerLog } from '../serve/read-options.ts'
import { TOOL_OPTIONS } from '../mcp/choose-tools.ts'

const NOT_RUN = 'runs until it is stopped'

export const command: CommandDefinition = {
  summary: 'Serve skills to agents over HTTP',
  startsRuns: true,
  details: [
    'Serve skills to agents over HTTP.',
    '',
    '- POST /rpc: the Skills Protocol, as JSON-RPC 2.0',
    '- /mcp: MCP',
    '',
    'The server accepts connections from this machine only, unless --host is',
    'set. On a signal it rejects new calls and gives runs --grace to finish.',
    'On SIGHUP it loads configuration, tokens, policy and skills again.',
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
        'Require a token from this file, one per line: token, name, scopes (read,run,write,operate)',
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
      flags: '--check',
      description: 'Check configuration, tokens, policy, skills and address, and exit',
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
    { command: 'skills serve --check --port 0', explains: 'Check everything without serving' },
  ],
  async run(context, call) {
    if (getFlagOption(call, 'check')) {
      const { checkServer } = await import('../serve/check-server.ts')
      return await checkServer(context, call)
    }
    const grace = parseGrace(getTextOption(call, 'grace'))
    const log = await openServerLog(context, call)
    try {
      const { openServer } = await import('../serve/open-server.ts')
      const reloads = listenForReloads(context)
      const { server, runtime } = await openServer(context, call, log)
      reloads.start(server)
      await waitUntilStopped(context.signal)
      context.note('Stopping: waiting for runs to finish; press Ctrl-C to end them')
      await server.stop(grace ?? runtime.config.serve.graceMs)
    } finally {
      log.flush?.()
    }
    return 0
  },
}

/** Passes SIGHUP to the server. One that arrives during the start takes effect after it. */
function listenForReloads(context: Context): { start(server: RunningServer): void } {
  let server: RunningServer | undefined
  let isDue = false
  context.handleReload?.(() => {
    if (server) void server.reload()
    else isDue = true
  })
  return {
    start(started) {
      server = started
      if (isDue) void server.reload()
    },
  }
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
