import type { Rule } from '../../rule.ts'
import { EXAMPLE_TABLES, createExampleToml } from '../../example-skill.ts'
import { toTable, locateInToml, describeType, getTable } from '../../skill-facts.ts'

export const MISSING_DESCRIPTION: Rule = {
  id: 'inputs/missing-description',
  severity: 'warning',
  what: 'An input has no description',
  why: 'The name alone rarely tells a model what to pass.',
  example: {
    bad: {
      'skill.toml': createExampleToml(
        {},
        EXAMPLE_TABLES.replace(', description = "Name of the person to greet"', ''),
      ),
    },
    good: {},
  },
  fix: 'Add description = "…" with one sentence.',
  check(skill, report) {
    for (const [name, input] of Object.entries(getTable(skill, 'inputs'))) {
      if (describeType(input) !== 'a table') continue
      const { description } = toTable(input)
      if (description !== undefined && description !== '') continue
      report({
        ...locateInToml(skill, ['inputs', name], 'key'),
        message: `The input "${name}" has no description`,
        help: 'Describe in one sentence what to pass',
      })
    }
  },
}
