import type { Rule } from '../../rule.ts'
import { EXAMPLE_TABLES, exampleToml } from '../../example-skill.ts'
import { asTable, inToml, kindOfValue, tableAt } from '../../skill-facts.ts'

export const MISSING_TYPE: Rule = {
  id: 'inputs/missing-type',
  severity: 'warning',
  what: 'An input has no type',
  why: 'Nothing is checked before the run, and the model has to guess.',
  example: {
    bad: { 'skill.toml': exampleToml({}, EXAMPLE_TABLES.replace('type = "string", ', '')) },
    good: {},
  },
  fix: 'Add type = "string" or another one.',
  check(skill, report) {
    for (const [name, input] of Object.entries(tableAt(skill, 'inputs'))) {
      if (kindOfValue(input) !== 'a table' || asTable(input)['type'] !== undefined) continue
      report({
        ...inToml(skill, ['inputs', name], 'key'),
        message: `The input "${name}" has no type`,
        help: 'Add type = "string", or the type that fits',
      })
    }
  },
}
