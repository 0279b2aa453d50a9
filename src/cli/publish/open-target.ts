import { resolve } from 'node:path'
import type { PublishTarget } from '../../core/publishing/publish-target.ts'
import { SkillsError } from '../../errors.ts'
import { isLoopbackHost } from '../../util/loopback-host.ts'
import { toPrintable } from '../../util/printable.ts'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'

/** Facts of the command line that targets need. */
export interface OpenTargetRequest {
  context: Context
  call: CommandLine
  /** The text after the scheme. */
  rest: string
  /** The whole text, for messages. */
  text: string
  /** Folder of the skill; undefined for `yank`. */
  folder: string | undefined
}

interface TargetType {
  /** Beginning of the text. */
  scheme: string
  example: string
  open(request: OpenTargetRequest): Promise<PublishTarget>
}

/** All kinds of targets. */
const TARGET_TYPES: readonly TargetType[] = [
  {
    scheme: 'site:',
    example: 'site:./public',
    async open({ context, call, rest }) {
      const { openSiteTarget } = await import('../../core/publishing/site/site-target.ts')
      return openSiteTarget({
        folder: resolve(context.cwd, rest),
        label: `site:${rest}`,
        name: getTextOption(call, 'siteName'),
        baseUrl: getTextOption(call, 'baseUrl'),
      })
    },
  },
  {
    scheme: 'git:',
    example: 'git:',
    open: openGit,
  },
  {
    scheme: 'npm:',
    example: 'npm:@scope/package',
    open: async (request) => await (await import('./open-registry.ts')).openNpm(request),
  },
  {
    scheme: 'oci:',
    example: 'oci:ghcr.io/owner/name',
    open: async (request) => await (await import('./open-registry.ts')).openOci(request),
  },
  { scheme: 'https://', example: 'https://skills.example.com', open: openServer },
  { scheme: 'http://', example: 'http://127.0.0.1:8080', open: openServer },
]

async function openGit({ context, call, rest, folder }: OpenTargetRequest): Promise<PublishTarget> {
  const { openGitTarget } = await import('../../core/publishing/git/git-target.ts')
  const out = getTextOption(call, 'out')
  if (rest === '' && folder !== undefined) {
    return openGitTarget({
      folder,
      env: context.env,
      out: out === undefined ? undefined : resolve(context.cwd, out),
      remote: getTextOption(call, 'push'),
    })
  }
  if (rest !== '') {
    throw new SkillsError('usage/invalid', 'The target git: is the repository around the skill', {
      hint: 'Write --to git: and name a remote with --push, such as --push origin',
    })
  }
  throw new SkillsError('usage/invalid', 'A tag of git cannot be withdrawn', {
    hint: 'Publish a fixed version; mark the release as bad on the git host, or delete it there',
  })
}

async function openServer({ context, call, text }: OpenTargetRequest): Promise<PublishTarget> {
  if (getTextOption(call, 'sign') !== undefined) {
    throw new SkillsError('usage/invalid', 'A server stores no signatures', {
      hint: 'Omit --sign, or publish to a site',
    })
  }
  checkServerAddress(text)
  const { openClient } = await import('../access/open-remote.ts')
  const { explainRemoteError } = await import('../access/remote-errors.ts')
  const { openServerTarget } = await import('./server-target.ts')
  const target = { url: text, source: '--to' } as const
  const { client } = openClient(context, call, target)
  const explain = (thrown: unknown): unknown => explainRemoteError(thrown, target)
  return openServerTarget({ client, explain }, text)
}

/** A token is sent to this address: https, or this machine; no password in the address. */
function checkServerAddress(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isLocal = url !== undefined && isLoopbackHost(url.hostname)
  if (url?.username === '' && url.password === '' && (url.protocol === 'https:' || isLocal)) return
  throw new SkillsError('usage/invalid', 'The address of the server is not valid', {
    hint: 'Write it as https://skills.example.com; the token goes into SKILLS_TOKEN or --token-file',
  })
}

/** Opens the target of `--to`. */
export async function openTarget(
  context: Context,
  call: CommandLine,
  folder: string | undefined,
): Promise<PublishTarget> {
  const text = getTextOption(call, 'to')
  const examples = TARGET_TYPES.map(({ example }) => example).join(', ')
  if (text === undefined) {
    throw new SkillsError('usage/invalid', 'Missing the target of the publication', {
      hint: `Add --to <target>, such as ${examples}`,
    })
  }
  const type = TARGET_TYPES.find(({ scheme }) => text.startsWith(scheme))
  const rest = type ? text.slice(type.scheme.length) : ''
  if (type && (rest !== '' || type.scheme === 'git:'))
    return await type.open({ context, call, rest, text, folder })
  // A URL can have a password.
  const shown = toPrintable(text.replace(/\/\/[^/]*@/, '//…@').slice(0, 200))
  throw new SkillsError('usage/invalid', `"${shown}" is not a target of publications`, {
    hint: `Write it as one of ${examples}`,
  })
}
