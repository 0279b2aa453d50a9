import { createLocalHandle } from '../../runtime-handle/local.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openLocalFolders, resolveReferences } from '../find-skill.ts'
import { openRuntime } from '../runtime.ts'
import type { CommandHandle } from './command-handle.ts'
import { checkRemoteOptions, readRemoteTarget } from './remote-options.ts'

export interface HandleOptions {
  /** Settings for a local runtime, by key. */
  settings?: Readonly<Record<string, unknown>>
  /** True if a skill may be named by its folder, and misspelt names get a suggestion. */
  takesReferences?: boolean
}

/** Opens the runtime that a command line selects. */
export async function openHandle(
  context: Context,
  call: CommandLine,
  { settings = {}, takesReferences = false }: HandleOptions = {},
): Promise<CommandHandle> {
  const target = readRemoteTarget(context, call)
  checkRemoteOptions(call, target)
  if (target) {
    const { openRemote } = await import('./open-remote.ts')
    return openRemote(context, call, target)
  }
  const runtime = await openRuntime(context, settings)
  const repository = takesReferences
    ? resolveReferences(runtime.repository, openLocalFolders(context))
    : runtime.repository
  const { cwd, env, signal } = context
  return {
    ...createLocalHandle({ ...runtime, repository }, { cwd, env, signal, caller: { door: 'cli' } }),
    async completeId(kind, id) {
      if (kind === 'blob') {
        const { findBlobId } = await import('../store/blob-record.ts')
        return await findBlobId(await runtime.blobs(), id)
      }
      if (kind === 'record') {
        const { findRunOrHash } = await import('../store/find-run-by-hash.ts')
        return await findRunOrHash(runtime, id)
      }
      if (id.startsWith('runtime-')) return id
      const { findRunId } = await import('../store/run-text.ts')
      return await findRunId(runtime, id)
    },
  }
}
