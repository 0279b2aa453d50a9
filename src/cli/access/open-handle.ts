import { createLocalHandle } from '../../runtime-handle/local.ts'
import type { Call } from '../command.ts'
import type { Context } from '../context.ts'
import { localFolders, withReferences } from '../find-skill.ts'
import { openRuntime } from '../runtime.ts'
import type { CommandHandle } from './command-handle.ts'
import { checkRemote, remotePlace } from './remote-options.ts'

export interface HandleOptions {
  /** Settings of this machine's runtime, by key. */
  settings?: Readonly<Record<string, unknown>>
  /** Whether a folder may stand for a skill, and a misspelt name is guessed. */
  takesReferences?: boolean
}

/** Opens the runtime that a command line means. */
export async function openHandle(
  context: Context,
  call: Call,
  { settings = {}, takesReferences = false }: HandleOptions = {},
): Promise<CommandHandle> {
  const place = remotePlace(context, call)
  checkRemote(call, place)
  if (place) {
    const { openRemote } = await import('./open-remote.ts')
    return openRemote(context, call, place)
  }
  const runtime = await openRuntime(context, settings)
  const repository = takesReferences
    ? withReferences(runtime.repository, localFolders(context))
    : runtime.repository
  const { cwd, env, signal } = context
  return {
    ...createLocalHandle({ ...runtime, repository }, { cwd, env, signal, door: 'cli' }),
    async completeId(noun, word) {
      if (noun === 'blob') {
        const { findBlob } = await import('../store/blob-shown.ts')
        return await findBlob(await runtime.blobs(), word)
      }
      if (word.startsWith('runtime-')) return word
      const { findRun } = await import('../store/run-shown.ts')
      return await findRun(await runtime.runs(), word)
    },
  }
}
