import { createRuntime } from '../../core/runtime.ts'
import {
  getFlagOption,
  getListOption,
  getTextOption,
  type CommandLine,
  type CommandDefinition,
} from '../command.ts'
import type { Context } from '../context.ts'
import { chooseTools, TOOL_OPTIONS } from '../mcp/choose-tools.ts'
import { SkillsError } from '../../errors.ts'
import { allowsFastPaths } from '../../core/config/fast-paths.ts'
import { installCommand } from '../mcp/install.ts'
import { uninstallCommand } from '../mcp/uninstall.ts'
import { enterProject } from '../mcp/enter-project.ts'
import { REQUEST_LIMITS } from '../../rpc/json-limits.ts'
import { openConfig } from '../runtime.ts'

/** Delays background work until the first requests of a client are answered. */
const BACKGROUND_DELAY_MS = 300
/** Limits of a first message, which is read before the configuration. */
const FIRST_MESSAGE_LIMITS = { ...REQUEST_LIMITS, maxBytes: 1024 ** 2 }
const NOT_RUN = 'runs until its client disconnects'

export const command: CommandDefinition = {
  summary: 'Serve skills to an MCP client',
  startsRuns: true,
  details: [
    'Serve skills to an MCP client.',
    '',
    '- Transport: standard input and output. For HTTP use skills serve, at',
    '  /mcp.',
    '- Tools: those of the profile.',
    '- Resources: skills, runs and blobs.',
    '- Prompts: the guide.',
    '',
    'The server ends when the client disconnects, and ends its runs.',
  ].join('\n'),
  untilStopped: true,
  options: [
    ...TOOL_OPTIONS,
    {
      flags: '--session <name>',
      description: 'Continue the files and loads of this session (default: a new one)',
    },
    { flags: '--allow-network', description: 'Allow skills to use their declared network' },
    {
      flags: '--secrets-file <file>',
      description: 'Read secrets from NAME=value lines in this file',
    },
    {
      flags: '--project <dir>',
      description: 'Use the configuration and skills of this project',
    },
    { flags: '--no-watch', description: 'Do not notify the client of changed skills' },
    {
      flags: '--log-format <format>',
      description: 'Log every call on standard error (default: warnings only, as text)',
      choices: ['text', 'json'],
    },
  ],
  examples: [
    { command: 'skills mcp', explains: 'Start the server, as a client does', notRun: NOT_RUN },
    {
      command: 'skills mcp --root skills --profile protocol',
      explains: 'Serve the skills of one folder',
      notRun: NOT_RUN,
    },
  ],
  subcommands: { install: installCommand, uninstall: uninstallCommand },
  run: serveMcp,
}

/** Listens first: a client gets its first response before the rest of the server is loaded. */
async function serveMcp(outer: Context, call: CommandLine): Promise<number> {
  const context = enterProject(outer, getTextOption(call, 'project'))
  if (context.global.json) {
    throw new SkillsError(
      'usage/invalid',
      'Standard output belongs to the client, so --json is not supported',
      {
        hint: 'Remove --json; skills mcp install supports it',
      },
    )
  }
  const session = await readSession(call)
  if (context.stdin.isTTY === true) {
    context.note('Waiting for an MCP client on standard input; "skills mcp install" configures one')
  }
  const { LineTransport } = await import('../../mcp/stdio/line-transport.ts')
  const { stdin, stdout, signal } = context
  const transport = new LineTransport({ stdin, stdout, ...FIRST_MESSAGE_LIMITS })
  // On a terminal, configuration errors are shown immediately.
  if (stdin.isTTY !== true && allowsFastPaths(context.env))
    await answerFirstRequests(transport, call)
  const origins = await openConfig(context, {
    'secrets.file': getTextOption(call, 'secretsFile'),
  })
  const { config } = origins
  transport.setLimits({ ...REQUEST_LIMITS, maxBytes: config.serve.maxBodyBytes })
  const { createLastGood } = await import('../../core/skills/repository/last-good.ts')
  const lastGood = call.options['watch'] === false ? undefined : createLastGood()
  const fastPaths = allowsFastPaths(context.env)
  const runtime = createRuntime({ config, origins, lastGood, tracking: 'pinned', fastPaths })
  const { methods, instructions } = await chooseTools(call)
  const log = await openMcpLog(context, call)
  const { openLocalCaller } = await import('../../server/rpc/local-caller.ts')
  const allowNetwork = getFlagOption(call, 'allowNetwork')
  const { cwd, env } = context
  const local = openLocalCaller({ runtime, cwd, env, allowNetwork, log })
  const { VERSION: version } = await import('../version.ts')
  const onNotice = (message: string, reason: string) => log.write('warn', message, { reason })
  const { serveMcpStdio } = await import('../../mcp/stdio/serve-stdio.ts')
  const options = { runtime, version, methods, onNotice, session }
  const server = serveMcpStdio(
    { ...options, instructions: async () => await instructions(runtime) },
    local.caller,
    transport,
  )
  let unwatch = () => {}
  const tidy = async () => {
    const onEdit = () => server.notifySkillsChanged()
    if (lastGood) unwatch = await local.watch(lastGood, onEdit)
    server.trackSkills()
    await local.sweep()
  }
  signal.addEventListener('abort', () => void server.close(), { once: true })
  const settle = setTimeout(() => void tidy(), BACKGROUND_DELAY_MS)
  await transport.closed
  clearTimeout(settle)
  unwatch()
  await local.end()
  return 0
}

/** The options of sessions load more than a server needs before its first answer. */
async function readSession(call: CommandLine): Promise<string | undefined> {
  if (call.options['session'] === undefined) return undefined
  const { readSessionName } = await import('../agent/session-options.ts')
  return readSessionName(call)
}

async function answerFirstRequests(
  transport: InstanceType<typeof import('../../mcp/stdio/line-transport.ts').LineTransport>,
  call: CommandLine,
): Promise<void> {
  // The tool list may be invalid, which must be reported before any response.
  if (getListOption(call, 'tool').length > 0) return
  const { answerFirstRequest } = await import('../../mcp/stdio/fast-path/first-answer.ts')
  const { readKnownTools } = await import('../../mcp/stdio/fast-path/known-tools.ts')
  const { VERSION: version } = await import('../version.ts')
  const profile = getTextOption(call, 'profile') ?? 'protocol'
  const tools = () => readKnownTools(profile)
  const isDefault = profile === 'protocol'
  if (!isDefault && !tools()) return
  // Instructions for other tools depend on the skills.
  const facts = { version, tools, hasGuide: isDefault }
  await transport.waitForFirstMessage()
  transport.answerEarly((message) => answerFirstRequest(message, facts))
}

async function openMcpLog(context: Context, call: CommandLine) {
  const { jsonLog, textLog } = await import('../../server/telemetry/request-log.ts')
  const out = (line: string) => void context.stderr.write(line)
  const format = getTextOption(call, 'logFormat')
  if (format !== undefined) return format === 'json' ? jsonLog(out) : textLog(out)
  const log = textLog(out)
  return {
    write(...[level, message, facts]: Parameters<typeof log.write>) {
      if (level === 'warn' || level === 'error') log.write(level, message, facts)
    },
  }
}
