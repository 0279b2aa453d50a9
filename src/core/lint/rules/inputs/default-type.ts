import type { Plain } from '../../../skills/manifest/manifest.ts'
import { hasType } from '../../../skills/manifest/has-type.ts'
import type { Rule } from '../../rule.ts'
import { EXAMPLE_TABLES, createExampleToml } from '../../example-skill.ts'
import { locateInToml, describeType, quoteValue } from '../../skill-facts.ts'

export const DEFAULT_TYPE: Rule = {
  id: 'inputs/default-type',
  severity: 'error',
  what: "A default or an allowed value does not have the input's type",
  why: 'The value would be rejected if a caller passed it.',
  example: {
    bad: {
      'skill.toml': createExampleToml(
        {},
        EXAMPLE_TABLES.replace('type = "string"', 'type = "string", default = 5'),
      ),
    },
    good: {},
  },
  fix: "Write the value in the input's type.",
  check(skill, report) {
    for (const [name, input] of Object.entries(skill.manifest.inputs)) {
      const checkValue = (value: Plain | undefined, path: (string | number)[]) => {
        if (value === undefined || hasType(value, input.type)) return
        // Numbers that are not finite are reported by another rule.
        if (typeof value === 'number' && !Number.isFinite(value)) return
        report({
          ...locateInToml(skill, ['inputs', name, ...path]),
          message: `${quoteValue(value)} is ${describeType(value)}, but "${name}" has the type ${quoteValue(input.type)}`,
          help: `Write a value of type ${quoteValue(input.type)}`,
        })
      }
      checkValue(input.default, ['default'])
      for (const [index, value] of (input.enum ?? []).entries()) checkValue(value, ['enum', index])
    }
  },
}
