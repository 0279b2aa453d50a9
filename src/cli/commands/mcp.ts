import type { ProfileName } from '../../agent/profiles.ts'
import { createRuntime } from '../../core/runtime.ts'
import {
  flagOption,
  listOption,
  textOption,
  type Call,
  type CommandDefinition,
  type OptionDefinition,
} from '../command.ts'
import type { Context } from '../context.ts'
import { openConfig } from '../runtime.ts'

const NOT_RUN = 'runs until its client leaves'

/** Which tools are offered; `serve` takes the same. */
export const TOOL_OPTIONS: readonly OptionDefinition[] = [
  {
    flags: '--profile <name>',
    description: 'Offer the tools of this profile (default: "protocol")',
  },
  { flags: '--tool <name>', description: 'Offer exactly these tools (repeatable)', many: true },
]

export const command: CommandDefinition = {
  summary: 'Serve skills to an MCP client',
  details: [
    'Serve skills to an MCP client over standard input and output, in both eras of the protocol:',
    'the tools of a profile, the skills as resources, runs and blobs, the guide as a prompt.',
    'Runs until the client leaves; what it started then is ended. Over HTTP: skills serve, at /mcp.',
  ].join(' '),
  untilStopped: true,
  options: [
    ...TOOL_OPTIONS,
    { flags: '--allow-network', description: 'Let skills use the network that they declare' },
    { flags: '--secrets-file <file>', description: 'Take secrets from NAME=value lines' },
    { flags: '--no-watch', description: 'Do not tell the client of edits' },
    {
      flags: '--log-format <format>',
      description: 'One line a call on standard error (default: warnings only, as text)',
      choices: ['text', 'json'],
    },
  ],
  examples: [
    { command: 'skills mcp', explains: 'What a client is told to start', notRun: NOT_RUN },
    {
      command: 'skills mcp --root skills --profile protocol',
      explains: 'The skills of one folder',
      notRun: NOT_RUN,
    },
  ],
  run: serve,
}

/** Listens first: a client has its first answer before the rest of the server is there. */
async function serve(context: Context, call: Call): Promise<number> {
  const { LineTransport } = await import('../../mcp/stdio/line-transport.ts')
  const { config } = await openConfig(context, { 'secrets.file': textOption(call, 'secretsFile') })
  const { stdin, stdout, signal } = context
  const transport = new LineTransport({ stdin, stdout, maxBytes: config.serve.maxBodyBytes })
  await answerFirst(transport, call)
  const { keepLastGood } = await import('../../core/repository/last-good.ts')
  const lastGood = call.options['watch'] === false ? undefined : keepLastGood()
  const runtime = createRuntime({ config, lastGood })
  const methods = await chooseTools(call)
  const log = await openLog(context, call)
  const { openLocalCaller } = await import('../../server/local-caller.ts')
  const allowNetwork = flagOption(call, 'allowNetwork')
  const { cwd, env } = context
  const local = openLocalCaller({ runtime, cwd, env, allowNetwork, log })
  const { VERSION: version } = await import('../version.ts')
  const onRemark = (message: string, reason: string) => log.write('warn', message, { reason })
  const { serveLines } = await import('../../mcp/stdio/serve-stdio.ts')
  const server = serveLines({ runtime, version, methods, onRemark }, local.caller, transport)
  signal.addEventListener('abort', () => void server.close(), { once: true })
  const unwatch = lastGood ? await local.watch(lastGood, () => server.skillsChanged()) : () => {}
  void local.sweep()
  await transport.closed
  unwatch()
  await local.end()
  return 0
}

async function answerFirst(
  transport: InstanceType<typeof import('../../mcp/stdio/line-transport.ts').LineTransport>,
  call: Call,
): Promise<void> {
  // Other tools may not be there, which is said before anything is answered.
  if (call.options['profile'] !== undefined || listOption(call, 'tool').length > 0) return
  const { firstAnswer } = await import('../../mcp/stdio/first-answer.ts')
  const { VERSION: version } = await import('../version.ts')
  await transport.firstMessage()
  transport.answerEarly((message) => firstAnswer(message, version))
}

/** The tools that were asked for. */
export async function chooseTools(call: Call) {
  const { toolsOf } = await import('../../agent/profiles.ts')
  const profile = textOption(call, 'profile')
  const tools = listOption(call, 'tool')
  if (tools.length === 0) return toolsOf((profile ?? 'protocol') as ProfileName)
  if (profile === undefined) return toolsOf(tools)
  const { SkillsError } = await import('../../errors.ts')
  throw new SkillsError('usage/invalid', 'There is a --profile, and a --tool as well', {
    hint: 'Leave out one of the two',
  })
}

async function openLog(context: Context, call: Call) {
  const { jsonLog, textLog } = await import('../../server/request-log.ts')
  const out = (line: string) => void context.stderr.write(line)
  const format = textOption(call, 'logFormat')
  if (format !== undefined) return format === 'json' ? jsonLog(out) : textLog(out)
  const log = textLog(out)
  return {
    write(...[level, message, facts]: Parameters<typeof log.write>) {
      if (level === 'warn' || level === 'error') log.write(level, message, facts)
    },
  }
}
