import type { Rule } from '../../rule.ts'
import { createExampleToml } from '../../example-skill.ts'
import { locateInToml, getToml } from '../../skill-facts.ts'

const MAX_LENGTH = 1024

export const LONG_DESCRIPTION: Rule = {
  id: 'schema/long-description',
  severity: 'warning',
  what: `The description has more than ${MAX_LENGTH} characters`,
  why: 'Every listing adds the descriptions of all skills to the prompt.',
  example: {
    bad: { 'skill.toml': createExampleToml({ description: `"${'Greets. '.repeat(130)}"` }) },
    good: {},
  },
  fix: 'Describe in one or two sentences what the skill does and when to use it; the rest belongs in SKILL.md.',
  check(skill, report) {
    const description = getToml(skill)?.['description']
    if (typeof description !== 'string' || description.length <= MAX_LENGTH) return
    report({
      ...locateInToml(skill, ['description']),
      message: `The description has ${description.length} characters, expected at most ${MAX_LENGTH}`,
      help: 'Move details into the body of SKILL.md',
    })
  },
}
