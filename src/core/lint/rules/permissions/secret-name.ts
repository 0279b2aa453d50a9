import type { Rule } from '../../rule.ts'
import { createSecretsExample } from '../../example-skill.ts'
import { isSecretName } from '../../secrets/find-secrets.ts'
import { maskSecret } from '../../secrets/mask-secrets.ts'
import { locateInToml, quoteValue } from '../../skill-facts.ts'

const RESERVED_VARIABLES =
  /^(?:PATH|HOME|USER|SHELL|PWD|TMPDIR|IFS|LD_.*|PYTHON.*|HTTPS?_PROXY|NO_PROXY|SKILLS_.*|NODE_OPTIONS)$/

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
      const problem = !/^[A-Z][A-Z0-9_]{0,127}$/.test(name)
        ? 'does not consist of upper-case letters, digits and underscores'
        : RESERVED_VARIABLES.test(name)
          ? 'is reserved for the system'
          : names.indexOf(name) < index
            ? 'is repeated'
            : undefined
      if (problem)
        report({
          ...locateInToml(skill, ['permissions', 'secrets', index]),
          // Authors write values here as well, which no report may show.
          message: `The secret ${quoteValue(isSecretName(name) ? name : maskSecret(name))} ${problem}`,
          help: 'Write a name such as CRM_API_KEY, once',
        })
    }
  },
}
