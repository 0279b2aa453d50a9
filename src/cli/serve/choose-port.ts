import { SkillsError } from '../../errors.ts'
import { getTextOption, type CommandLine } from '../command.ts'

const PREFERRED_PORT = 8080

/** Returns the port of the command line, or the preferred one unless it is in use, or 0 for any. */
export async function choosePort(call: CommandLine): Promise<string> {
  const port = getTextOption(call, 'port')
  if (port !== undefined) return port
  const { tryPort } = await import('../../server/http/listen.ts')
  const host = getTextOption(call, 'host') ?? ''
  try {
    await tryPort({ host, port: PREFERRED_PORT })
    return String(PREFERRED_PORT)
  } catch (error) {
    if (error instanceof SkillsError && error.code === 'serve/port') return '0'
    throw error
  }
}
