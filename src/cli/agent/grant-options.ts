import type { CallIo } from '../../runtime-handle/handle.ts'
import {
  getFlagOption,
  getListOption,
  type CommandLine,
  type OptionDefinition,
} from '../command.ts'
import type { CommandHandle } from '../access/command-handle.ts'
import type { Context } from '../context.ts'
import { findSkill } from '../find-skill.ts'

/** Options that grant a command what its skill declares. */
export const GRANT_OPTIONS: readonly OptionDefinition[] = [
  {
    flags: '--secret <name>',
    description: 'Pass this environment variable as a secret (repeatable)',
    completes: 'secrets',
    isRepeatable: true,
  },
  { flags: '--allow-network', description: 'Allow the command to reach the declared hosts' },
]

/** Reads these options; a secret that the skill does not declare is rejected. */
export async function readGrants(
  context: Context,
  call: CommandLine,
  handle: CommandHandle,
): Promise<Pick<CallIo, 'grants'>> {
  const allowNetwork = getFlagOption(call, 'allowNetwork')
  if (!allowNetwork && getListOption(call, 'secret').length === 0) return {}
  const entry = await findSkill(handle.skills, call.args[0] ?? '')
  const manifest = await handle.skills.manifest(entry)
  if (allowNetwork && manifest.permissions.network.length === 0) {
    context.note(`--allow-network has no effect: "${manifest.name}" declares no network`)
  }
  const { readSecrets } = await import('../run/secrets.ts')
  const request = { skills: [manifest], asksDeclared: false, prompts: undefined }
  return { grants: { secrets: await readSecrets(context, call, request), allowNetwork } }
}
