import type { Rule } from '../../rule.ts'
import { createSecretsExample } from '../../example-skill.ts'
import { listCodeUses } from '../../code/code-uses.ts'
import { locateSecret } from '../../skill-facts.ts'

export const UNUSED_SECRET: Rule = {
  id: 'permissions/unused-secret',
  severity: 'warning',
  what: 'The code never reads a declared secret',
  why: 'The skill would get a secret that it does not need.',
  example: createSecretsExample(
    '"CRM_KEY"',
    'def main(args):\n    return {"who": args.get("who")}\n',
  ),
  fix: 'Remove the name.',
  needsPython: true,
  check(skill, report) {
    const files = listCodeUses(skill)
    if (files.length === 0 || files.some((each) => each.readsWholeEnvironment)) return
    for (const [index, name] of skill.manifest.permissions.secrets.entries()) {
      const used = files.some(
        ({ environment, strings }) =>
          environment.some((each) => each.name === name) ||
          strings.some((each) => each.value.includes(name)),
      )
      // Scripts of other languages and files that are started by hand may read it, too.
      const isMentioned = skill.files.some(
        ({ path }) =>
          /\.(?:py|sh|bash|[cm]?[jt]sx?)$|\/[^./]+$/.test(path) && skill.read(path)?.includes(name),
      )
      if (!used && !isMentioned)
        report({
          ...locateSecret(skill, index),
          message: `The code never reads the secret "${name}"`,
          help: 'Remove it from permissions.secrets',
        })
    }
  },
}
