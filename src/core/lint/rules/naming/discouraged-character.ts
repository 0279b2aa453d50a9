import type { Rule } from '../../rule.ts'
import { exampleToml } from '../../example-skill.ts'
import { inToml, tomlOf, validName } from '../../skill-facts.ts'

export const DISCOURAGED_CHARACTER: Rule = {
  id: 'naming/discouraged-character',
  severity: 'info',
  what: 'The name has a hyphen or an underscore',
  why: 'In Python a hyphen becomes an underscore, so the two spellings are easily confused.',
  example: { bad: { 'skill.toml': exampleToml({ name: '"demo.greet-you"' }) }, good: {} },
  fix: 'Use another dot or one word where the name is still free to choose.',
  check(skill, report) {
    const name = validName(skill)
    if (!tomlOf(skill) || !name || !/[-_]/.test(name)) return
    const module = name.replaceAll('-', '_')
    report({
      ...inToml(skill, ['name']),
      message: name.includes('-')
        ? `The name "${name}" is imported as "skills.${module}": its hyphens become underscores`
        : `The name "${name}" has "_", which is easily taken for "-"`,
      help: `Consider "${module.replace(/_+/g, '.').replace(/^\.+|\.+$/g, '')}" or one word`,
    })
  },
}
