import { createClient, type SkillsClient } from '../../client/index.ts'
import { SkillsError } from '../../errors.ts'
import { createRemoteHandle } from '../../runtime-handle/remote.ts'
import { getFlagOption, getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { resolveReferences } from '../find-skill.ts'
import type { CommandHandle } from './command-handle.ts'
import { explainRemoteError } from './remote-errors.ts'
import { unsupportedByRemoteError, type RemoteTarget } from './remote-options.ts'
import { readTokenFile } from './token-file.ts'

/** A remote runtime, used through the protocol only. */
export function openRemote(
  context: Context,
  call: CommandLine,
  target: RemoteTarget,
): CommandHandle {
  const { client } = openClient(context, call, target)
  const explain = (thrown: unknown) => explainRemoteError(thrown, target)
  const handle = createRemoteHandle(client, { explain, signal: context.signal })
  const open = (reference: string) =>
    Promise.reject(
      unsupportedByRemoteError(
        `A remote runtime cannot read the local folder "${reference}"`,
        target,
      ),
    )
  return {
    ...handle,
    skills: resolveReferences(handle.skills, { open, isSkill: () => false }),
    async completeId(kind, id) {
      if (kind === 'blob') return id.startsWith('blob:') ? id : `blob:${id}`
      const { completeRemoteRunId } = await import('./complete-remote-run-id.ts')
      return await completeRemoteRunId(handle, id)
    },
  }
}

/** Creates a client for the runtime that a command line selects. */
export function openClient(
  context: Context,
  call: CommandLine,
  target: RemoteTarget,
): { client: SkillsClient; token: string | undefined } {
  const token = readToken(context, getTextOption(call, 'tokenFile'))
  const allowPlainHttp = getFlagOption(call, 'allowPlainHttp')
  try {
    return { client: createClient({ url: target.url, token, allowPlainHttp }), token }
  } catch (error) {
    const { message } = error as Error
    const hint = message.includes('plain http')
      ? 'Write it with https, or add --allow-plain-http on a network that only you can read'
      : 'Write it as http://127.0.0.1:8080'
    throw new SkillsError('usage/invalid', `${message} (${target.source})`, { hint })
  }
}

/**
 * Reads the first word of the file, ignoring comments, so that a server's token file works as well.
 */
function readToken(context: Context, file: string | undefined): string | undefined {
  const token = file === undefined ? context.env['SKILLS_TOKEN'] : readFirstWord(context, file)
  if (!token || /^[!-~]+$/.test(token)) return token || undefined
  // The message must not contain the token, even an invalid one.
  throw new SkillsError('usage/invalid', 'The token contains characters other than visible ASCII', {
    hint:
      file === undefined
        ? 'Set SKILLS_TOKEN to the token without quotes or spaces'
        : `Look into "${file}"`,
  })
}

function readFirstWord(context: Context, file: string): string {
  const lines = readTokenFile(context, file)
    .split(/\r?\n/)
    .map((line) => line.trim())
  const token = lines.find((line) => line !== '' && !line.startsWith('#'))?.split(/\s+/)[0]
  if (token !== undefined) return token
  throw new SkillsError('usage/invalid', `The token file "${file}" contains no token`, {
    hint: 'Write the token on its own line',
  })
}
