import type { Rule } from '../../rule.ts'
import { EXAMPLE_TABLES, createExampleToml } from '../../example-skill.ts'
import { hasType } from '../../../skills/manifest/has-type.ts'
import { locateInToml, quoteValue } from '../../skill-facts.ts'

export const DEFAULT_NOT_ALLOWED: Rule = {
  id: 'inputs/default-not-allowed',
  severity: 'error',
  what: "A default is not among the input's allowed values",
  why: 'A call without this input would be rejected.',
  example: {
    bad: {
      'skill.toml': createExampleToml(
        {},
        EXAMPLE_TABLES.replace(
          'type = "string"',
          'type = "string", enum = ["Ada", "Alan"], default = "Bob"',
        ),
      ),
    },
    good: {},
  },
  fix: 'Use one of the values in enum, or add the default to enum.',
  check(skill, report) {
    for (const [name, input] of Object.entries(skill.manifest.inputs)) {
      const { enum: allowed, default: value, type } = input
      if (!allowed || value === undefined || !hasType(value, type)) continue
      if (allowed.some((each) => JSON.stringify(each) === JSON.stringify(value))) continue
      report({
        ...locateInToml(skill, ['inputs', name, 'default']),
        message: `The default ${quoteValue(value)} of "${name}" is not among its allowed values`,
        help: `Use one of ${allowed.map(quoteValue).join(', ')}`,
      })
    }
  },
}
