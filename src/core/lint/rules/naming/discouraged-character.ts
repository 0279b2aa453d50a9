import type { Rule } from '../../rule.ts'
import { exampleToml } from '../../example-skill.ts'
import { inToml, tomlOf, validName } from '../../skill-facts.ts'

export const DISCOURAGED_CHARACTER: Rule = {
  id: 'naming/discouraged-character',
  severity: 'info',
  what: 'The name has a hyphen',
  why: 'In Python the module is called with "_" instead, so the two spellings are easily confused.',
  example: { bad: { 'skill.toml': exampleToml({ name: '"demo.greet-you"' }) }, good: {} },
  fix: 'Use another dot or one word where the name is still free to choose.',
  check(skill, report) {
    const name = validName(skill)
    if (!tomlOf(skill) || !name?.includes('-')) return
    const module = name.replaceAll('-', '_')
    report({
      ...inToml(skill, ['name']),
      message: `The name "${name}" is imported as "skills.${module}": its hyphens become underscores`,
      help: `Consider "${module}"`,
    })
  },
}
