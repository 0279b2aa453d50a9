import type { Rule } from '../../rule.ts'
import { secretsExample } from '../../example-skill.ts'
import { inToml, quote } from '../../skill-facts.ts'

const RESERVED =
  /^(?:PATH|HOME|USER|SHELL|PWD|TMPDIR|IFS|LD_.*|PYTHON.*|HTTPS?_PROXY|NO_PROXY|SKILLS_.*|NODE_OPTIONS)$/

export const SECRET_NAME: Rule = {
  id: 'permissions/secret-name',
  severity: 'error',
  what: 'A secret cannot be an environment variable of that name',
  why: 'Secrets arrive as environment variables; some names would change how the run itself works.',
  example: secretsExample(
    '"LD_PRELOAD"',
    'import os\n\n\ndef main(args):\n    return {"who": args.get("who"), "set": bool(os.environ["LD_PRELOAD"])}\n',
  ),
  fix: 'Use capitals, digits and underscores, and no name that the system knows.',
  check(skill, report) {
    const names = skill.manifest.permissions.secrets
    for (const [index, name] of names.entries()) {
      const why = !/^[A-Z][A-Z0-9_]{0,127}$/.test(name)
        ? 'is not made of capitals, digits and underscores'
        : RESERVED.test(name)
          ? 'has a meaning of its own for the system'
          : names.indexOf(name) < index
            ? 'is given twice'
            : undefined
      if (why)
        report({
          ...inToml(skill, ['permissions', 'secrets', index]),
          message: `The secret ${quote(name)} ${why}`,
          help: 'Write a name such as CRM_API_KEY, once',
        })
    }
  },
}
