import { resolve } from 'node:path'
import type { Manifest } from '../../core/skills/manifest/manifest.ts'
import { readSecretsFile } from '../../core/runs/redaction/secrets.ts'
import { SkillsError } from '../../errors.ts'
import { getListOption, getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'

/** Values of --secrets-file and --secret; a name that no skill of the run declares is rejected. */
export function readSecrets(
  context: Context,
  call: CommandLine,
  skills: readonly Manifest[],
): Map<string, string> {
  const file = getTextOption(call, 'secretsFile')
  const secrets =
    file === undefined ? new Map<string, string>() : readSecretsFile(resolve(context.cwd, file))
  for (const name of getListOption(call, 'secret')) {
    secrets.set(name, readSecretVariable(context, name, skills))
  }
  return secrets
}

function readSecretVariable(context: Context, name: string, skills: readonly Manifest[]): string {
  const at = name.indexOf('=')
  if (at !== -1) {
    // The text after "=" is a secret and must not be repeated.
    const variable = name.slice(0, at)
    throw new SkillsError(
      'usage/invalid',
      'Expected only a name for --secret, got a value as well',
      {
        hint: `Set the environment variable "${variable}" instead, where other users cannot read it`,
      },
    )
  }
  if (!skills.some(({ permissions }) => permissions.secrets.includes(name))) {
    const [only] = skills.length === 1 ? skills : []
    const message = only
      ? `"${only.name}" does not declare the secret "${name}"`
      : `No mounted skill declares the secret "${name}"`
    throw new SkillsError('usage/invalid', message, {
      hint: 'Declare it in skill.toml under [permissions] secrets, or remove the option',
    })
  }
  const value = context.env[name]
  if (value !== undefined) return value
  throw new SkillsError('usage/invalid', `The variable "${name}" is not set`, {
    hint: `Set it first: export ${name}=…`,
  })
}
