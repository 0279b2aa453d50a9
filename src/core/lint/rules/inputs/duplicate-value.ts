import type { Rule } from '../../rule.ts'
import { EXAMPLE_TABLES, createExampleToml } from '../../example-skill.ts'
import { toTable, locateInToml, quoteValue, getTable } from '../../skill-facts.ts'

export const DUPLICATE_VALUE: Rule = {
  id: 'inputs/duplicate-value',
  severity: 'warning',
  what: 'An allowed value is repeated, or no value is allowed',
  why: 'A repeated value has no effect; an empty list allows nothing, which is an error for a required input.',
  example: {
    bad: {
      'skill.toml': createExampleToml(
        {},
        EXAMPLE_TABLES.replace('type = "string"', 'type = "string", enum = ["Ada", "Ada"]'),
      ),
    },
    good: {},
  },
  fix: 'Remove the repeated value.',
  check(skill, report) {
    for (const [name, spec] of Object.entries(getTable(skill, 'inputs'))) {
      const { enum: allowed, required } = toTable(spec)
      if (!Array.isArray(allowed)) continue
      if (allowed.length === 0)
        report({
          ...locateInToml(skill, ['inputs', name, 'enum']),
          message: `The input "${name}" does not allow any value`,
          help: 'List the allowed values, or remove enum',
          // A required input with this problem makes every call fail.
          ...(required === true && { severity: 'error' }),
        })
      const seen = new Set<string>()
      for (const [index, value] of allowed.entries()) {
        const key = JSON.stringify(value)
        if (seen.has(key))
          report({
            ...locateInToml(skill, ['inputs', name, 'enum', index]),
            message: `${quoteValue(value)} is a repeated value`,
            help: 'Remove one of them',
          })
        seen.add(key)
      }
    }
  },
}
