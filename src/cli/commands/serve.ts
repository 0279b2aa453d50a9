import { getFlagOption, type CommandDefinition } from '../command.ts'
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
    '- /console/: a page for browsers',
    '',
    'The server accepts connections from this machine only, unless --host is',
    'set. On a signal it rejects new calls and gives runs --grace to finish.',
    'On SIGHUP it loads configuration, tokens, policy and skills again.',
    '',
    'Where tokens are required, a server on a terminal prints a link to the',
    'console. It can be used once. --open opens the console in a browser; without',
    'a display or a terminal it prints the address instead.',
  ].join('\n'),
  untilStopped: true,
  options: [
    {
      flags: '--port <number>',
      description: 'Listen on this port; 0 selects a free one (default: 8080)',
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
      flags: '--log-format <format>',
      description: 'Select the log format (default: text on a terminal, else json)',
      choices: ['text', 'json'],
    },
    {
      flags: '--fleet <url>',
      description: 'Perform runs on the workers of the fleet of this engine',
    },
    { flags: '--name <name>', description: 'Name of this front in the fleet' },
    { flags: '--no-console', description: 'Serve no console' },
    {
      flags: '--open',
      description: 'Open the console in a browser; on a free port if 8080 is in use',
    },
    {
      flags: '--check',
      description: 'Check configuration, tokens, policy, skills and address, and exit',
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
    {
      command: 'skills serve --fleet nats://127.0.0.1:4222',
      explains: 'Serve programs, and perform their runs on workers',
      notRun: NOT_RUN,
    },
    {
      command: 'skills serve --open --root ./skills',
      explains: 'Show the skills of a folder in the console',
      notRun: 'it opens a browser',
    },
    { command: 'skills serve --check --port 0', explains: 'Check everything without serving' },
  ],
  async run(context, call) {
    if (getFlagOption(call, 'check')) {
      const { checkServer } = await import('../serve/check-server.ts')
      return await checkServer(context, call)
    }
    const { runServer } = await import('../serve/run-server.ts')
    const { choosePort } = await import('../serve/choose-port.ts')
    return await runServer(context, await choosePort(call))
  },
}
