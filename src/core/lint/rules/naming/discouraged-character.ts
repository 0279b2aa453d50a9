import type { Rule } from '../../rule.ts'
import { createExampleToml } from '../../example-skill.ts'
import { locateInToml, getToml, getValidName } from '../../skill-facts.ts'

export const DISCOURAGED_CHARACTER: Rule = {
  id: 'naming/discouraged-character',
  severity: 'info',
  what: 'The name contains a hyphen or an underscore',
  why: 'In Python a hyphen becomes an underscore, so the two spellings are easily confused.',
  example: { bad: { 'skill.toml': createExampleToml({ name: '"demo.greet-you"' }) }, good: {} },
  fix: 'Use a dot or a single word, if the name is not published yet.',
  check(skill, report) {
    const name = getValidName(skill)
    if (!getToml(skill) || !name || !/[-_]/.test(name)) return
    const module = name.replaceAll('-', '_')
    report({
      ...locateInToml(skill, ['name']),
      message: name.includes('-')
        ? `The name "${name}" is imported as "skills.${module}": its hyphens become underscores`
        : `The name "${name}" has "_", which is easily confused with "-"`,
      help: `Consider "${module.replace(/_+/g, '.').replace(/^\.+|\.+$/g, '')}" or one word`,
    })
  },
}
