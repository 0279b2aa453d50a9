import type { Rule } from '../../rule.ts'
import { createExampleMarkdown } from '../../example-skill.ts'
import { countCharacters } from '../../agent-skill.ts'
import { getFrontMatter, locateInFrontMatter, describeType } from '../../skill-facts.ts'

export const COMPATIBILITY: Rule = {
  id: 'portability/compatibility',
  severity: 'warning',
  what: 'compatibility is not a string of 1 to 500 characters',
  why: 'Validators of the Agent Skills format reject the skill.',
  example: {
    bad: {
      'SKILL.md': createExampleMarkdown(
        `name: greet\ndescription: Greets somebody by name.\nshort_description: Greets somebody by name.\ncompatibility: ${'x'.repeat(501)}\n`,
      ),
    },
    good: {},
  },
  fix: 'Describe in one sentence which environment the skill needs.',
  check(skill, report) {
    const value = getFrontMatter(skill)?.['compatibility']
    if (
      value === undefined ||
      (typeof value === 'string' && value !== '' && countCharacters(value) <= 500)
    )
      return
    const got =
      typeof value === 'string'
        ? `has ${countCharacters(value)} characters`
        : `is ${describeType(value)}`
    report({
      ...locateInFrontMatter(skill, ['compatibility']),
      message: `compatibility ${got}, expected a string of 1 to 500 characters`,
      help: 'Shorten it to one sentence',
      // The reference validator rejects a plain Agent Skill for it, but not for an empty text.
      ...(!skill.toml && value !== '' && { severity: 'error' }),
    })
  },
}
