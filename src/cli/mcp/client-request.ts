import { homedir } from 'node:os'
import process from 'node:process'
import { SkillsError } from '../../errors.ts'
import {
  CLIENT_NAMES,
  INSTALL_SCOPES,
  type ClientName,
  type InstallEnvironment,
  type InstallScope,
} from '../../mcp/install/clients.ts'
import { getTextOption, type CommandLine, type OptionDefinition } from '../command.ts'
import type { Context } from '../context.ts'

/** Options that select a server in the configuration of a client. */
export const CLIENT_OPTIONS: readonly OptionDefinition[] = [
  {
    flags: '--client <name>',
    description: 'Select the client to configure',
    choices: CLIENT_NAMES,
  },
  {
    flags: '--scope <scope>',
    description: 'Configure it for the user or for the current project',
    choices: INSTALL_SCOPES,
    default: 'user',
  },
  { flags: '--name <name>', description: 'Set the name of the server', default: 'skills' },
]

export const CHANGE_OPTIONS: readonly OptionDefinition[] = [
  { flags: '-n, --dry-run', description: 'Show the change; change nothing' },
  { flags: '-y, --yes', description: 'Do not ask for confirmation' },
]

/** A server in the configuration of a client. */
export interface ClientRequest {
  client: ClientName
  scope: InstallScope
  /** Name of the server in the client's configuration. */
  name: string
}

export function readClientRequest(call: CommandLine): ClientRequest {
  const client = getTextOption(call, 'client')
  if (client === undefined) {
    throw new SkillsError('usage/invalid', 'Missing the client', {
      hint: `Select it with --client: ${CLIENT_NAMES.join(', ')}`,
    })
  }
  const name = getTextOption(call, 'name') ?? ''
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name)) {
    throw new SkillsError(
      'usage/invalid',
      `"${name}" is not a valid server name, expected letters, digits, "-" and "_"`,
    )
  }
  const scope = (getTextOption(call, 'scope') ?? 'user') as InstallScope
  return { client: client as ClientName, scope, name }
}

export function describeEnvironment({ env, cwd }: Context): InstallEnvironment {
  return { platform: process.platform, env, cwd, home: env['HOME'] || homedir() }
}
