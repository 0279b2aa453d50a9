import type { Rule } from '../../rule.ts'
import { EXAMPLE_TABLES, createExampleToml } from '../../example-skill.ts'
import { toTable, locateInToml, getTable } from '../../skill-facts.ts'

export const REQUIRED_DEFAULT: Rule = {
  id: 'inputs/required-default',
  severity: 'warning',
  what: 'An input is required and has a default',
  why: 'The default is never used.',
  example: {
    bad: {
      'skill.toml': createExampleToml(
        {},
        EXAMPLE_TABLES.replace(
          'type = "string"',
          'type = "string", required = true, default = "Ada"',
        ),
      ),
    },
    good: {},
  },
  fix: 'Remove the default, or required = true.',
  check(skill, report) {
    for (const [name, spec] of Object.entries(getTable(skill, 'inputs'))) {
      const { required, default: value } = toTable(spec)
      if (required !== true || value === undefined) continue
      report({
        ...locateInToml(skill, ['inputs', name, 'default'], 'key'),
        message: `The default of "${name}" is never used, because the input is required`,
        help: 'Remove default, or required = true',
      })
    }
  },
}
