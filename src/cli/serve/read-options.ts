import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { SkillsError } from '../../errors.ts'
import type { TokenBook } from '../../server/auth/tokens.ts'
import type { RequestLog } from '../../server/telemetry/request-log.ts'
import { parseDurationOption } from '../../util/quantity.ts'
import { readTokenFile } from '../access/token-file.ts'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'

/** Permission bits of other users. */
const OTHERS_PERMISSIONS = 0o007
/** Less than service managers wait before they kill. */
const DEFAULT_GRACE = '10s'

export function readPort(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new SkillsError('usage/invalid', `Expected a port from 0 to 65535, got "${text}"`, {
    hint: 'Use a free port with --port 0',
  })
}

/** Milliseconds that runs get to finish on shutdown. */
export function readGrace(call: CommandLine): number {
  const text = getTextOption(call, 'grace') ?? DEFAULT_GRACE
  const ms = parseDurationOption(text)
  if (ms !== undefined) return ms
  throw new SkillsError('usage/invalid', `Expected a duration such as 10s, got "${text}"`)
}

/** Reads the accepted tokens. An unreadable file is an error, never an empty list. */
export async function readTokens(
  context: Context,
  call: CommandLine,
): Promise<TokenBook | undefined> {
  const file = getTextOption(call, 'tokenFile')
  const token = context.env['SKILLS_TOKEN']
  if (call.options['auth'] === false) {
    if (file === undefined && !token) return undefined
    throw new SkillsError('usage/invalid', 'A token and --no-auth cannot be combined', {
      hint: 'Remove --no-auth, or remove --token-file and unset SKILLS_TOKEN',
    })
  }
  if (file !== undefined) return await loadTokenFile(context, file)
  if (!token) return undefined
  const { singleToken } = await import('../../server/auth/tokens.ts')
  return singleToken(token)
}

/** Reads a token file. Throws if it is not valid as a whole. */
async function loadTokenFile(context: Context, file: string): Promise<TokenBook> {
  const { parseTokens } = await import('../../server/auth/tokens.ts')
  return parseTokens(readTokenText(context, file), file)
}

/** Reads the token file of a running server again. An emptied one revokes all tokens. */
export async function reloadTokenFile(context: Context, file: string): Promise<TokenBook> {
  const { createTokenBook, parseTokenEntries } = await import('../../server/auth/tokens.ts')
  return createTokenBook(parseTokenEntries(readTokenText(context, file), file))
}

/** Absolute path of the token file; undefined if there is none. */
export function findTokenFile(context: Context, call: CommandLine): string | undefined {
  const file = getTextOption(call, 'tokenFile')
  return file === undefined ? undefined : resolve(context.cwd, file)
}

/** Text on a terminal, JSON elsewhere, nothing with --quiet. */
export async function openServerLog(context: Context, call: CommandLine): Promise<RequestLog> {
  const { batchLines, jsonLog, textLog, SILENT_LOG } =
    await import('../../server/telemetry/request-log.ts')
  if (context.global.quiet) return SILENT_LOG
  const out = batchLines((lines) => void context.stderr.write(lines))
  const format =
    getTextOption(call, 'logFormat') ?? (context.stderr.isTTY === true ? 'text' : 'json')
  return format === 'text' ? textLog(out) : jsonLog(out)
}

/** Reads the text of a server's token file, and warns if others can read it. */
export function readTokenText(context: Context, file: string): string {
  const text = readTokenFile(context, file)
  if ((statSync(resolve(context.cwd, file)).mode & OTHERS_PERMISSIONS) !== 0) {
    context.note(`Other users can read the tokens in "${file}": type chmod 600`)
  }
  return text
}
