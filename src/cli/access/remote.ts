import { resolve } from 'node:path'
import { createClient, type SkillsClient } from '../../client/index.ts'
import type { QueryOutputResult } from '../../core/methods/runtime-query-output/definition.ts'
import { SkillsError } from '../../errors.ts'
import { readTextUpTo } from '../../util/read-up-to.ts'
import { textOption, type Call } from '../command.ts'
import type { Context } from '../context.ts'
import { isFolderReference } from '../find-skill.ts'
import type { Access } from './access.ts'
import { explainRemote } from './remote-errors.ts'
import { notRemote, type RemotePlace } from './remote-options.ts'

/** More than anybody's tokens. */
const MAX_TOKEN_FILE = 1024 ** 2

/** What everything that talks to a remote runtime shares. */
export interface Remote {
  client: SkillsClient
  token: string | undefined
  place: RemotePlace
  signal: AbortSignal
  /** Waits for the runtime; what goes wrong becomes an error of ours. */
  ask: <T>(work: Promise<T>) => Promise<T>
}

/** A runtime elsewhere, by the protocol and nothing else. */
export function remoteAccess(context: Context, call: Call, place: RemotePlace): Access {
  const remote = openRemote(context, call, place)
  const skills = async () => await import('./remote-skills.ts')
  return {
    list: async () => await (await skills()).listRemote(remote),
    skill: async (reference) => await (await skills()).findRemote(remote, reference),
    async skillOrFolder(reference) {
      if (!isFolderReference(reference)) return await (await skills()).findRemote(remote, reference)
      throw notRemote(`A remote runtime cannot see the folder "${reference}"`, place)
    },
    async runCode({ mounts, timeout_ms: timeout, ...code }, runCall) {
      const { followRemote } = await import('./remote-runs.ts')
      return await followRemote(remote, runCall, async (options) => {
        const params = { ...code, mount_skills: mounts, limits: { timeout_ms: timeout } }
        return await remote.client.runCode(params, options)
      })
    },
    async execute(params, runCall) {
      const { executeRemote } = await import('./remote-runs.ts')
      return await executeRemote(remote, runCall, params)
    },
    findOutput: async (word) => (/^[0-9a-f]{20,64}$/.test(word) ? `run_${word}` : word),
    async queryOutput(params) {
      const asked = remote.client.call('runtime.queryOutput', params)
      return (await remote.ask(asked)) as QueryOutputResult
    },
    blobs: async () => (await import('./remote-blobs.ts')).remoteBlobs(remote),
  }
}

/** A client for the runtime that a command line names. */
export function openRemote(context: Context, call: Call, place: RemotePlace): Remote {
  const { signal } = context
  const token = readToken(context, textOption(call, 'tokenFile'))
  let client: SkillsClient
  try {
    client = createClient({ url: place.url, token })
  } catch (error) {
    throw new SkillsError('usage/invalid', `${(error as Error).message} (${place.source})`, {
      hint: 'Write it as http://127.0.0.1:8080',
    })
  }
  return {
    client,
    token,
    place,
    signal,
    async ask(work) {
      try {
        return await work
      } catch (thrown) {
        throw signal.aborted ? thrown : explainRemote(thrown, place)
      }
    },
  }
}

/** The first word of the file, remarks left out, so that a server's own file works as well. */
function readToken(context: Context, file: string | undefined): string | undefined {
  const token = file === undefined ? context.env['SKILLS_TOKEN'] : firstWord(context, file)
  if (!token || /^[!-~]+$/.test(token)) return token || undefined
  // The token itself is a secret, even a bad one.
  throw new SkillsError('usage/invalid', 'The token has other than visible ASCII characters', {
    hint: file === undefined ? 'Set SKILLS_TOKEN to the token alone' : `Look into "${file}"`,
  })
}

function firstWord(context: Context, file: string): string {
  let text: string
  try {
    text = readTextUpTo(resolve(context.cwd, file), MAX_TOKEN_FILE)
  } catch (cause) {
    throw new SkillsError('usage/invalid', `Cannot read the token file "${file}"`, {
      hint: 'Check its path and permissions',
      cause,
    })
  }
  const lines = text.split(/\r?\n/).map((line) => line.trim())
  const word = lines.find((line) => line !== '' && !line.startsWith('#'))?.split(/\s+/)[0]
  if (word !== undefined) return word
  throw new SkillsError('usage/invalid', `The token file "${file}" holds no token`, {
    hint: 'Write the token on a line of its own',
  })
}
