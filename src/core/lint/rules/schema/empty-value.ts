import type { Rule } from '../../rule.ts'
import { createExampleToml } from '../../example-skill.ts'
import { locateInToml, getTable, getToml } from '../../skill-facts.ts'

export const EMPTY_VALUE: Rule = {
  id: 'schema/empty-value',
  severity: 'error',
  what: 'A required string of skill.toml is empty',
  why: 'An empty name, version or description counts as missing.',
  example: { bad: { 'skill.toml': createExampleToml({ description: '""' }) }, good: {} },
  fix: 'Write the value.',
  check(skill, report) {
    const isEmpty = (value: unknown) => typeof value === 'string' && value.trim() === ''
    const paths = ['name', 'version', 'description', 'namespace'].map((key) => [key])
    for (const path of [...paths, ['runtime', 'export']]) {
      const key = path.at(-1) as string
      const table = path.length === 1 ? getToml(skill) : getTable(skill, 'runtime')
      if (!isEmpty(table?.[key])) continue
      report({
        ...locateInToml(skill, path),
        message: `"${path.join('.')}" is empty, expected a string`,
        help:
          key === 'description'
            ? 'Describe what the skill does and when to use it'
            : `Write the ${key}`,
      })
    }
  },
}
