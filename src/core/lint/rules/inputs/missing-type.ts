import type { Rule } from '../../rule.ts'
import { EXAMPLE_TABLES, createExampleToml } from '../../example-skill.ts'
import { toTable, locateInToml, describeType, getTable } from '../../skill-facts.ts'

export const MISSING_TYPE: Rule = {
  id: 'inputs/missing-type',
  severity: 'warning',
  what: 'An input has no type',
  why: 'The argument is not checked before the run, and the model has to guess.',
  example: {
    bad: { 'skill.toml': createExampleToml({}, EXAMPLE_TABLES.replace('type = "string", ', '')) },
    good: {},
  },
  fix: 'Add type = "string" or another type.',
  check(skill, report) {
    for (const [name, input] of Object.entries(getTable(skill, 'inputs'))) {
      if (describeType(input) !== 'a table' || toTable(input)['type'] !== undefined) continue
      report({
        ...locateInToml(skill, ['inputs', name], 'key'),
        message: `The input "${name}" has no type`,
        help: 'Add type = "string", or the matching type',
      })
    }
  },
}
