import type { Rule } from '../../rule.ts'
import { EXAMPLE_TABLES, exampleToml } from '../../example-skill.ts'
import { asTable, inToml, quote, tableAt } from '../../skill-facts.ts'
import { hasType } from './default-type.ts'

export const DEFAULT_NOT_ALLOWED: Rule = {
  id: 'inputs/default-not-allowed',
  severity: 'error',
  what: "A default is not among the input's allowed values",
  why: 'A call that leaves the input out would be refused.',
  example: {
    bad: {
      'skill.toml': exampleToml(
        {},
        EXAMPLE_TABLES.replace(
          'type = "string"',
          'type = "string", enum = ["Ada", "Alan"], default = "Bob"',
        ),
      ),
    },
    good: {},
  },
  fix: 'Use one of the values in enum, or add the default to them.',
  check(skill, report) {
    for (const [name, spec] of Object.entries(tableAt(skill, 'inputs'))) {
      const { enum: allowed, default: value, type } = asTable(spec)
      if (!Array.isArray(allowed) || value === undefined || !hasType(value, type)) continue
      if (allowed.some((each) => JSON.stringify(each) === JSON.stringify(value))) continue
      report({
        ...inToml(skill, ['inputs', name, 'default']),
        message: `The default ${quote(value)} of "${name}" is not among its allowed values`,
        help: `Use one of ${allowed.map(quote).join(', ')}`,
      })
    }
  },
}
