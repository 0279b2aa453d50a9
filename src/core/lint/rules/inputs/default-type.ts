import type { Plain } from '../../../skills/manifest/manifest.ts'
import type { Rule } from '../../rule.ts'
import { EXAMPLE_TABLES, exampleToml } from '../../example-skill.ts'
import { asTable, inToml, kindOfValue, quote, tableAt } from '../../skill-facts.ts'

export const DEFAULT_TYPE: Rule = {
  id: 'inputs/default-type',
  severity: 'error',
  what: "A default or an allowed value does not have the input's own type",
  why: 'The value would be refused if a caller passed it.',
  example: {
    bad: {
      'skill.toml': exampleToml(
        {},
        EXAMPLE_TABLES.replace('type = "string"', 'type = "string", default = 5'),
      ),
    },
    good: {},
  },
  fix: "Write the value in the input's type.",
  check(skill, report) {
    for (const [name, spec] of Object.entries(tableAt(skill, 'inputs'))) {
      const input = asTable(spec)
      const judge = (value: Plain | undefined, path: (string | number)[]) => {
        if (value === undefined || hasType(value, input['type'])) return
        report({
          ...inToml(skill, ['inputs', name, ...path]),
          message: `${quote(value)} is ${kindOfValue(value)}, but "${name}" is of type ${quote(input['type'])}`,
          help: `Write a value of type ${quote(input['type'])}`,
        })
      }
      judge(input['default'], ['default'])
      if (Array.isArray(input['enum']))
        for (const [index, value] of input['enum'].entries()) judge(value, ['enum', index])
    }
  },
}

/** Types that are unknown are another rule's business. */
export function hasType(value: Plain, type: Plain | undefined): boolean {
  if (type === 'string' || type === 'blob') return typeof value === 'string'
  if (type === 'integer') return typeof value === 'number' && Number.isInteger(value)
  if (type === 'number') return typeof value === 'number'
  if (type === 'boolean') return typeof value === 'boolean'
  if (type === 'array') return Array.isArray(value)
  return type === 'object' ? kindOfValue(value) === 'a table' : true
}
