import { findSecretNameProblem } from '../../../skills/manifest/secret-name.ts'
import type { Rule } from '../../rule.ts'
import { createSecretsExample } from '../../example-skill.ts'
import { isSecretName } from '../../secrets/find-secrets.ts'
import { maskSecret } from '../../secrets/mask-secrets.ts'
import { locateSecret, quoteValue } from '../../skill-facts.ts'

export const SECRET_NAME: Rule = {
  id: 'permissions/secret-name',
  severity: 'error',
  what: 'The name of a secret is not valid for an environment variable',
  why: 'Secrets are passed as environment variables; some names would change how the run itself works.',
  example: createSecretsExample(
    '"LD_PRELOAD"',
    'import os\n\n\ndef main(args):\n    return {"who": args.get("who"), "set": bool(os.environ["LD_PRELOAD"])}\n',
  ),
  fix: 'Use upper-case letters, digits and underscores, and not a name that the system uses.',
  check(skill, report) {
    const names = skill.manifest.permissions.secrets
    for (const [index, name] of names.entries()) {
      const isRepeated = names.indexOf(name) < index
      const problem = findSecretNameProblem(name) ?? (isRepeated ? 'is repeated' : undefined)
      if (problem)
        report({
          ...locateSecret(skill, index),
          // Authors write values here as well, which no report may show.
          message: `The secret ${quoteValue(isSecretName(name) ? name : maskSecret(name))} ${problem}`,
          help: 'Write a name such as CRM_API_KEY, once',
        })
    }
  },
}
