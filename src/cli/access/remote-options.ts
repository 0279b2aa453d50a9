import { SkillsError } from '../../errors.ts'
import { getTextOption, type CommandLine, type OptionDefinition } from '../command.ts'
import type { Context } from '../context.ts'

/** Options of every command that can use a remote runtime. */
export const REMOTE_OPTIONS: readonly OptionDefinition[] = [
  { flags: '--url <url>', description: 'Ask the runtime there instead of this machine' },
  { flags: '--token-file <file>', description: 'Send the token in this file to it' },
]

/** The same options for commands that cannot: hidden, and rejected with an explanation. */
export const REFUSED_OPTIONS: readonly OptionDefinition[] = REMOTE_OPTIONS.map((option) => ({
  ...option,
  hidden: true,
}))

/** Options that apply only to this machine, with the reason. */
const LOCAL_ONLY_OPTIONS: Readonly<Record<string, readonly [flag: string, why: string]>> = {
  root: ['--root', 'a remote runtime has skills of its own'],
  config: ['--config', 'a remote runtime has a configuration of its own'],
  watch: ['--watch', 'files of this machine do not change a remote runtime'],
  keep: ['--keep', 'a remote workspace stays where it is'],
  secret: ['--secret', 'secrets are given to a remote runtime by who runs it'],
  secretsFile: ['--secrets-file', 'secrets are given to a remote runtime by who runs it'],
  allowNetwork: ['--allow-network', 'who runs a remote runtime decides about its network'],
  backend: ['--backend', 'who runs a remote runtime decides what isolates its runs'],
  requireIsolation: ['--require-isolation', 'who runs a remote runtime decides how it isolates'],
}

/** The remote runtime that a command line selects. */
export interface RemoteTarget {
  url: string
  /** The option or variable that selected it. */
  source: '--url' | 'SKILLS_URL'
}

/** Reads the selected remote runtime; undefined for this machine. */
export function readRemoteTarget(
  context: Pick<Context, 'env'>,
  call: CommandLine,
): RemoteTarget | undefined {
  const given = getTextOption(call, 'url')
  if (given === '') {
    throw new SkillsError('usage/invalid', 'Expected a URL for --url, got ""', {
      hint: 'Write it as --url http://127.0.0.1:8080',
    })
  }
  if (given !== undefined) return { url: given, source: '--url' }
  const set = context.env['SKILLS_URL']
  return set ? { url: set, source: 'SKILLS_URL' } : undefined
}

/** Rejects options that need a local runtime, or a remote one. */
export function checkRemoteOptions(call: CommandLine, place: RemoteTarget | undefined): void {
  if (!place) {
    if (getTextOption(call, 'tokenFile') === undefined) return
    throw new SkillsError('usage/invalid', '--token-file says nothing without a remote runtime', {
      hint: 'Name one with --url, or leave --token-file out',
    })
  }
  for (const [name, [flag, why]] of Object.entries(LOCAL_ONLY_OPTIONS)) {
    const value = call.options[name]
    if (value === undefined || value === false) continue
    throw unsupportedByRemote(`${flag} does not go with ${place.source}: ${why}`, place, flag)
  }
}

/** Error for a request that a remote runtime cannot serve. */
export function unsupportedByRemote(
  message: string,
  { source }: RemoteTarget,
  flag?: string,
): SkillsError {
  const instead = source === '--url' ? 'leave --url out' : 'unset SKILLS_URL'
  const hint = `${flag === undefined ? 'To use this machine' : `Leave ${flag} out, or`} ${instead}`
  return new SkillsError('usage/invalid', message, { hint })
}
