import { SkillsError } from '../../errors.ts'
import {
  getFlagOption,
  getTextOption,
  type CommandLine,
  type OptionDefinition,
} from '../command.ts'
import type { Context } from '../context.ts'

/** Options of every command that can use a remote runtime. */
export const REMOTE_OPTIONS: readonly OptionDefinition[] = [
  { flags: '--url <url>', description: 'Use the runtime at this URL instead of this machine' },
  { flags: '--token-file <file>', description: 'Read the token for --url from this file' },
  {
    flags: '--allow-plain-http',
    description: 'Send the token over http to other machines, where others may read it',
  },
]

/** Options that apply only to this machine, by their names in a command line, with the reason. */
export type LocalOptions = Readonly<Record<string, readonly [flag: string, why: string]>>

const LOCAL_ONLY_OPTIONS: LocalOptions = {
  root: ['--root', 'a remote runtime has its own skills'],
  config: ['--config', 'a remote runtime has its own configuration'],
  policy: ['--policy', 'a remote runtime has its own policy'],
  watch: ['--watch', 'local files do not affect a remote runtime'],
  keep: ['--keep', 'a remote workspace cannot be copied'],
  pdb: ['--pdb', 'a remote run has no debugger'],
  inspect: ['--inspect', 'a remote run has no debugger'],
  secret: ['--secret', 'the operator of a remote runtime provides its secrets'],
  secretsFile: ['--secrets-file', 'the operator of a remote runtime provides its secrets'],
  allowNetwork: ['--allow-network', 'the operator of a remote runtime controls its network'],
  hostPackages: ['--host-packages', 'the operator of a remote runtime selects its packages'],
  backend: ['--backend', 'the operator of a remote runtime selects its backend'],
  requireIsolation: ['--require-isolation', 'the operator of a remote runtime sets its isolation'],
}

/** The remote runtime that a command line selects. */
export interface RemoteTarget {
  url: string
  /** The option or variable that selected it. */
  source: '--url' | '--to' | 'SKILLS_URL'
}

/** Reads the selected remote runtime; undefined for this machine. */
export function readRemoteTarget(
  context: Pick<Context, 'env'>,
  call: CommandLine,
): RemoteTarget | undefined {
  const urlOption = getTextOption(call, 'url')
  if (urlOption === '') {
    throw new SkillsError('usage/invalid', 'Expected a URL for --url, got ""', {
      hint: 'Write it as --url http://127.0.0.1:8080',
    })
  }
  if (urlOption !== undefined) return { url: urlOption, source: '--url' }
  const set = context.env['SKILLS_URL']
  return set ? { url: set, source: 'SKILLS_URL' } : undefined
}

/** Rejects options that need a local runtime, or a remote one. */
export function checkRemoteOptions(call: CommandLine, target: RemoteTarget | undefined): void {
  if (!target) {
    const flag = getTextOption(call, 'tokenFile') !== undefined ? '--token-file' : undefined
    const other = flag ?? (getFlagOption(call, 'allowPlainHttp') ? '--allow-plain-http' : undefined)
    if (other === undefined) return
    throw new SkillsError('usage/invalid', `${other} requires a remote runtime`, {
      hint: `Add --url, or remove ${other}`,
    })
  }
  refuseLocalOptions(call, target, LOCAL_ONLY_OPTIONS)
}

/** Rejects options that the commands of a remote runtime do not have. */
export function refuseLocalOptions(
  { options }: Pick<CommandLine, 'options'>,
  target: RemoteTarget,
  local: LocalOptions,
): void {
  for (const [name, [flag, why]] of Object.entries(local)) {
    const value = options[name]
    if (value === undefined || value === false) continue
    throw unsupportedByRemoteError(
      `${flag} cannot be combined with ${target.source}: ${why}`,
      target,
      flag,
    )
  }
}

/** Error for a request that a remote runtime cannot serve. */
export function unsupportedByRemoteError(
  message: string,
  { source }: RemoteTarget,
  flag?: string,
): SkillsError {
  const instead = source === '--url' ? 'remove --url' : 'unset SKILLS_URL'
  const hint = `${flag === undefined ? 'To use this machine' : `Remove ${flag}, or`} ${instead}`
  return new SkillsError('usage/invalid', message, { hint })
}
