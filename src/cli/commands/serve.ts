import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { SkillsError } from '../../errors.ts'
import type { RequestLog } from '../../server/request-log.ts'
import type { RunningServer } from '../../server/serve.ts'
import type { TokenBook } from '../../server/tokens.ts'
import { parseDuration } from '../../util/quantity.ts'
import {
  flagOption,
  listOption,
  textOption,
  type Call,
  type CommandDefinition,
} from '../command.ts'
import type { Context } from '../context.ts'
import { openRuntime } from '../runtime.ts'

export const command: CommandDefinition = {
  summary: 'Serve skills to agents over HTTP',
  details: [
    'Serve the Skills Protocol: JSON-RPC 2.0 at POST /rpc, for this machine only unless --host says otherwise.',
    'Runs until it is told to stop; then it takes no more calls and lets runs finish for --grace.',
    'Exits with 0 when it was told to stop, with 3 where it could not listen.',
  ].join(' '),
  untilStopped: true,
  options: [
    {
      flags: '--port <number>',
      description: 'Listen here; 0 takes any free port',
      default: '8080',
    },
    { flags: '--host <address>', description: 'Listen on this address', default: '127.0.0.1' },
    {
      flags: '--token-file <file>',
      description: 'Ask for a token of this file: "token name scopes" lines',
    },
    { flags: '--no-auth', description: 'Ask for no token, whoever can reach this address' },
    { flags: '--allow-host <name>', description: 'Answer to this name in Host', many: true },
    {
      flags: '--allow-origin <origin>',
      description: 'Let pages of this origin call (CORS)',
      many: true,
    },
    {
      flags: '--grace <duration>',
      description: 'Time that runs have to finish at the end',
      default: '10s',
    },
    {
      flags: '--log-format <format>',
      description: 'One line a call on standard error: text on a terminal, json elsewhere',
      choices: ['text', 'json'],
    },
    { flags: '--allow-network', description: 'Let skills use the network that they declare' },
  ],
  examples: [
    {
      command: 'skills serve',
      explains: 'For programs on this machine',
      notRun: 'runs until it is stopped',
    },
    {
      command: 'skills serve --port 0 --json',
      explains: 'Any free port, told as one line of JSON when it is ready',
      notRun: 'runs until it is stopped',
    },
    {
      command: 'skills serve --host 0.0.0.0 --token-file tokens.txt',
      explains: 'For other machines, with tokens',
      notRun: 'needs a file of tokens',
    },
  ],
  async run(context, call) {
    const graceMs = readGrace(textOption(call, 'grace'))
    const server = await start(context, call)
    const { url, port } = server
    if (context.global.json) {
      context.stdout.write(`${JSON.stringify({ schema: 'skills.serve/v1', url, port })}\n`)
    } else context.note(`Listening on ${url}`)
    await stopped(context.signal)
    await server.stop(graceMs)
    return 0
  },
}

async function start(context: Context, call: Call): Promise<RunningServer> {
  const port = readPort(textOption(call, 'port') ?? '')
  const noAuth = call.options['auth'] === false
  const tokens = await readTokens(context, textOption(call, 'tokenFile'))
  if (noAuth && tokens) {
    throw new SkillsError('usage/invalid', 'A token was given, and --no-auth as well', {
      hint: 'Leave out --no-auth, or unset SKILLS_TOKEN',
    })
  }
  const { serve } = await import('../../server/serve.ts')
  const { SKILLS_TOKEN: _, ...env } = context.env
  return await serve({
    runtime: await openRuntime(context),
    host: textOption(call, 'host') ?? '127.0.0.1',
    port,
    tokens,
    noAuth,
    allowedHosts: listOption(call, 'allowHost'),
    allowedOrigins: listOption(call, 'allowOrigin'),
    allowNetwork: flagOption(call, 'allowNetwork'),
    log: await openLog(context, call),
    cwd: context.cwd,
    env,
  })
}

/** Lines for people on a terminal, JSON elsewhere, nothing where only results are wanted. */
async function openLog(context: Context, call: Call): Promise<RequestLog> {
  const { jsonLog, textLog, SILENT_LOG } = await import('../../server/request-log.ts')
  if (context.global.quiet) return SILENT_LOG
  const out = (line: string) => void context.stderr.write(line)
  const format = textOption(call, 'logFormat') ?? (context.stderr.isTTY === true ? 'text' : 'json')
  return format === 'text' ? textLog(out) : jsonLog(out)
}

function readPort(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new SkillsError('usage/invalid', `Expected a port from 0 to 65535, got "${text}"`)
}

function readGrace(text: string | undefined): number {
  const ms = parseDuration(text ?? '10s')
  if (ms !== undefined) return ms
  throw new SkillsError('usage/invalid', `Expected a duration such as 10s, got "${text}"`)
}

/** The file before the variable; a file that cannot be read is an error, never no tokens. */
async function readTokens(
  context: Context,
  file: string | undefined,
): Promise<TokenBook | undefined> {
  const { parseTokens, singleToken } = await import('../../server/tokens.ts')
  if (file !== undefined) {
    try {
      return parseTokens(readFileSync(resolve(context.cwd, file), 'utf8'), file)
    } catch (cause) {
      if (cause instanceof SkillsError) throw cause
      throw new SkillsError('usage/invalid', `Cannot read the token file "${file}"`, {
        hint: 'Check its path and permissions',
        cause,
      })
    }
  }
  const token = context.env['SKILLS_TOKEN']
  return token ? singleToken(token) : undefined
}

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) return done()
    signal.addEventListener('abort', () => done(), { once: true })
  })
}
