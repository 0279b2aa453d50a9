import { SkillsError } from '../../errors.ts'
import { getFlagOption, getTextOption, type CommandLine } from '../command.ts'

export const DEFAULT_PORT = '8080'

/** Adds the port: a line that opens a browser takes a free one if the default is in use. */
export async function choosePort(call: CommandLine): Promise<CommandLine> {
  if (getTextOption(call, 'port') !== undefined || !getFlagOption(call, 'open')) return call
  const { tryPort } = await import('../../server/http/listen.ts')
  const host = getTextOption(call, 'host') ?? ''
  try {
    await tryPort({ host, port: Number(DEFAULT_PORT) })
    return call
  } catch (error) {
    if (!(error instanceof SkillsError && error.code === 'serve/port')) throw error
    return { ...call, options: { ...call.options, port: '0' } }
  }
}
