import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import type { CommandHandle } from './command-handle.ts'
import { checkRemoteOptions, readRemoteTarget } from './remote-options.ts'

/**
 * Opens the runtime of --url, for commands about a machine; undefined without the option. SKILLS_URL
 * selects none: these commands have to work for a machine whose settings are wrong.
 */
export async function openRemoteHandle(
  context: Context,
  call: CommandLine,
): Promise<CommandHandle | undefined> {
  const target =
    getTextOption(call, 'url') === undefined ? undefined : readRemoteTarget(context, call)
  checkRemoteOptions(call, target)
  if (!target) return undefined
  const { openRemote } = await import('./open-remote.ts')
  return openRemote(context, call, target)
}
