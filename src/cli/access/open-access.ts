import type { Call } from '../command.ts'
import type { Context } from '../context.ts'
import type { Access } from './access.ts'
import { localAccess } from './local.ts'
import { checkRemote, remotePlace } from './remote-options.ts'

/** The runtime that a command line means. `settings` are those of this machine's, by key. */
export async function openAccess(
  context: Context,
  call: Call,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Access> {
  const place = remotePlace(context, call)
  checkRemote(call, place)
  if (!place) return localAccess(context, settings)
  const { remoteAccess } = await import('./remote.ts')
  return remoteAccess(context, call, place)
}
