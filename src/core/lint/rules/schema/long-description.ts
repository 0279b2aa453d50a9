import type { Rule } from '../../rule.ts'
import { exampleToml } from '../../example-skill.ts'
import { inToml, tomlOf } from '../../skill-facts.ts'

const MAX = 1024

export const LONG_DESCRIPTION: Rule = {
  id: 'schema/long-description',
  severity: 'warning',
  what: `The description has more than ${MAX} characters`,
  why: 'Every listing carries the descriptions of all skills into the prompt.',
  example: {
    bad: { 'skill.toml': exampleToml({ description: `"${'Greets. '.repeat(130)}"` }) },
    good: {},
  },
  fix: 'Say in one or two sentences what the skill does and when to use it; the rest belongs into SKILL.md.',
  check(skill, report) {
    const description = tomlOf(skill)?.['description']
    if (typeof description !== 'string' || description.length <= MAX) return
    report({
      ...inToml(skill, ['description']),
      message: `The description has ${description.length} characters, expected at most ${MAX}`,
      help: 'Move details into the body of SKILL.md',
    })
  },
}
