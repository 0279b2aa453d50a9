import { createExampleToml } from '../../example-skill.ts'
import type { Rule } from '../../rule.ts'
import { parseSuites } from './suite-files.ts'

const CASE =
  '[[cases]]\nname = "greets"\nargs = { who = "World" }\nsecrets = { GREETING_KEY = "fake" }\nexpect = [{ status = "completed" }]\n'
export const UNDECLARED_TEST_SECRET: Rule = {
  id: 'tests/undeclared-test-secret',
  severity: 'warning',
  what: 'A case passes a secret that skill.toml does not declare',
  why: 'The run does not get it, so that the case tests something else than it seems to.',
  example: {
    bad: { 'tests/greet.test.toml': CASE },
    good: {
      'skill.toml': `${createExampleToml()}\n[permissions]\nsecrets = ["GREETING_KEY"]\n`,
      'tests/greet.test.toml': CASE,
    },
  },
  fix: 'Add the name to permissions.secrets in skill.toml, or remove it from the case.',
  check(skill, report) {
    const declared = new Set(skill.manifest.permissions.secrets)
    for (const [file, { suite }] of parseSuites(skill)) {
      const undeclared = suite?.cases.flatMap(({ name, secrets }) =>
        [...secrets.keys()]
          .filter((each) => !declared.has(each))
          .map((secret) => ({ name, secret })),
      )
      for (const { name, secret } of undeclared ?? []) {
        const message = `The case "${name}" passes "${secret}", which skill.toml does not declare`
        report({ file, message, help: `Add "${secret}" to permissions.secrets` })
      }
    }
  },
}
