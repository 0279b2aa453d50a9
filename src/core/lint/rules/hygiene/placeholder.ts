import type { Rule } from '../../rule.ts'
import { exampleToml } from '../../example-skill.ts'
import { inFrontMatter, inToml } from '../../skill-facts.ts'

const PLACEHOLDER =
  /\b(?:TODO|FIXME|TBD|XXX)\b|lorem ipsum|<(?:your|describe|insert|fill)\b|^describe (?:what|your|the skill)|^(?:my|a) (?:new |first )?skill\.?$/i

export const PLACEHOLDER_TEXT: Rule = {
  id: 'hygiene/placeholder',
  severity: 'warning',
  what: 'A description still has its placeholder',
  why: 'A model chooses skills by their descriptions; a placeholder makes it guess.',
  example: {
    bad: { 'skill.toml': exampleToml({ description: '"TODO: say what it does"' }) },
    good: {},
  },
  fix: 'Write what the skill does and when to use it.',
  check(skill, report) {
    const { description, shortDescription, frontMatter } = skill.manifest
    const help = 'Write what the skill does and when to use it'
    if (skill.toml && PLACEHOLDER.test(description)) {
      report({
        ...inToml(skill, ['description']),
        message: 'The description is a placeholder',
        help,
      })
    }
    const told = frontMatter['description']
    if (typeof told === 'string' && PLACEHOLDER.test(told)) {
      report({
        ...inFrontMatter(skill, ['description']),
        message: 'The description in the front matter is a placeholder',
        help,
      })
    }
    if (shortDescription !== undefined && PLACEHOLDER.test(shortDescription)) {
      report({
        ...inFrontMatter(skill, ['short_description']),
        message: 'short_description is a placeholder',
        help,
      })
    }
  },
}
