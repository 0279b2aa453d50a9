import { findNearest } from '../../../../util/find-nearest.ts'
import type { Rule } from '../../rule.ts'
import { createExampleMarkdown } from '../../example-skill.ts'
import { AGENT_SKILL_KEYS } from '../../agent-skill.ts'
import { getFrontMatter, locateInFrontMatter } from '../../skill-facts.ts'

export const FRONT_MATTER_KEY: Rule = {
  id: 'portability/front-matter-key',
  severity: 'info',
  what: 'The front matter has a key that the Agent Skills format does not know',
  why: 'Strict hosts of plain Agent Skills reject the skill; a runtime of the protocol accepts it.',
  example: {
    bad: {
      'SKILL.md': createExampleMarkdown(
        'name: greet\ndescription: Greets somebody by name.\ntags: [demo]\n',
      ),
    },
    good: {},
  },
  fix: 'Move the value to skill.toml, or below metadata as a string.',
  check(skill, report) {
    if (!skill.profiles.includes('agent-skills')) return
    for (const key of Object.keys(getFrontMatter(skill) ?? {})) {
      if (AGENT_SKILL_KEYS.includes(key)) continue
      const guess = findNearest(key, AGENT_SKILL_KEYS)
      report({
        ...locateInFrontMatter(skill, [key], 'key'),
        message: `As an Agent Skill, "${key}" is not a valid key, expected one of ${AGENT_SKILL_KEYS.join(', ')}`,
        help: guess ? `Did you mean "${guess}"?` : 'Move it to skill.toml, or below metadata',
      })
    }
  },
}
