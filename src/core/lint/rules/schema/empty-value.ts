import type { Rule } from '../../rule.ts'
import { exampleToml } from '../../example-skill.ts'
import { inToml, tomlOf } from '../../skill-facts.ts'

export const EMPTY_VALUE: Rule = {
  id: 'schema/empty-value',
  severity: 'error',
  what: 'A required text of skill.toml is empty',
  why: 'An empty name, version or description is as good as none.',
  example: { bad: { 'skill.toml': exampleToml({ description: '""' }) }, good: {} },
  fix: 'Fill in the value.',
  check(skill, report) {
    for (const key of ['name', 'version', 'description', 'namespace']) {
      const value = tomlOf(skill)?.[key]
      if (typeof value !== 'string' || value.trim() !== '') continue
      report({
        ...inToml(skill, [key]),
        message: `"${key}" is empty, expected a text`,
        help: `Write a ${key}, or remove the key if it is optional`,
      })
    }
  },
}
