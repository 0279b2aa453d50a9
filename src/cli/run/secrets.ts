import { resolve } from 'node:path'
import type { Manifest } from '../../core/skills/manifest/manifest.ts'
import { openSecrets, readSecretsFile } from '../../core/runs/redaction/secrets.ts'
import { SkillsError } from '../../errors.ts'
import { readRemoteTarget } from '../access/remote-options.ts'
import { getListOption, getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openConfig } from '../runtime.ts'
import type { RunPrompts } from './run-prompts.ts'

/** Facts about the run that needs secrets. */
interface SecretsRequest {
  skills: readonly Manifest[]
  /** True to ask for declared secrets that have no value. */
  asksDeclared: boolean
  prompts: RunPrompts | undefined
}

/**
 * Values of --secrets-file, --secret and prompts; a name that no skill of the run declares is
 * rejected.
 */
export async function readSecrets(
  context: Context,
  call: CommandLine,
  { skills, asksDeclared, prompts }: SecretsRequest,
): Promise<Map<string, string>> {
  const file = getTextOption(call, 'secretsFile')
  const secrets =
    file === undefined ? new Map<string, string>() : readSecretsFile(resolve(context.cwd, file))
  for (const name of getListOption(call, 'secret')) {
    const value = readSecretVariable(context, name, skills) ?? (await prompts?.askSecret(name))
    if (value === undefined) throw unsetVariableError(name)
    secrets.set(name, value)
  }
  if (!prompts || !asksDeclared || readRemoteTarget(context, call)) return secrets
  const declared = skills.flatMap(({ permissions }) => permissions.secrets)
  for (const name of await listUnconfigured(context, declared)) {
    if (secrets.has(name)) continue
    const value = await prompts.askSecret(name)
    if (value !== undefined) secrets.set(name, value)
  }
  return secrets
}

/** Declared secrets that the configured file does not have. */
async function listUnconfigured(context: Context, declared: readonly string[]): Promise<string[]> {
  if (declared.length === 0) return []
  const { config } = await openConfig(context)
  const configured = await openSecrets(config.secrets).values(declared, context.env)
  return declared.filter((name) => !configured.has(name))
}

/** Returns undefined if the variable is not set. */
function readSecretVariable(
  context: Context,
  name: string,
  skills: readonly Manifest[],
): string | undefined {
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
  return context.env[name]
}

function unsetVariableError(name: string): SkillsError {
  return new SkillsError('usage/invalid', `The variable "${name}" is not set`, {
    hint: `Set it first: export ${name}=…`,
  })
}
