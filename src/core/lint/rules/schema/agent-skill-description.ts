import type { Rule } from '../../rule.ts'
import { createExampleMarkdown } from '../../example-skill.ts'
import { countCharacters } from '../../agent-skill.ts'
import { getFrontMatter, locateInFrontMatter, describeType } from '../../skill-facts.ts'

const INSTRUCTION_SKILL = { 'skill.toml': null, 'code/main.py': null }

export const AGENT_SKILL_DESCRIPTION: Rule = {
  id: 'schema/agent-skill-description',
  severity: 'error',
  what: 'A skill without skill.toml has no valid description in its front matter',
  why: 'A model decides by the description alone whether to load the skill; hosts skip a skill without one.',
  example: {
    bad: { ...INSTRUCTION_SKILL, 'SKILL.md': createExampleMarkdown('name: greet\n') },
    good: {
      ...INSTRUCTION_SKILL,
      'SKILL.md': createExampleMarkdown('name: greet\ndescription: Greets somebody by name.\n'),
    },
  },
  fix: 'Add a description of at most 1,024 characters: what the skill does and when to use it.',
  check(skill, report) {
    const data = getFrontMatter(skill)
    if (skill.toml || !data) return
    const written = Object.keys(data).find((key) => key.toLowerCase() === 'description')
    const description = data['description'] ?? data[written ?? '']
    const help = 'Describe what the skill does and when to use it, in at most 1,024 characters'
    if (typeof description !== 'string') {
      report({
        ...locateInFrontMatter(skill, ['description']),
        message: `"description" is ${describeType(description)}, expected a string`,
        help,
      })
    } else if (description.trim() === '' || countCharacters(description) > 1024) {
      report({
        ...locateInFrontMatter(skill, ['description']),
        message: `"description" has ${countCharacters(description.trim())} characters, expected 1 to 1,024`,
        help,
      })
    }
  },
}
