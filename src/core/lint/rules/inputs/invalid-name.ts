import type { Rule } from '../../rule.ts'
import { EXAMPLE_TABLES, createExampleToml } from '../../example-skill.ts'
import { locateInToml, quoteValue, getTable } from '../../skill-facts.ts'

export const INVALID_INPUT_NAME: Rule = {
  id: 'inputs/invalid-name',
  severity: 'warning',
  what: 'The name of an input is not in snake_case',
  why: 'Names become JSON keys, command-line flags and Python names; other characters need quoting.',
  example: {
    bad: { 'skill.toml': createExampleToml({}, EXAMPLE_TABLES.replace('who =', '"Who Is" =')) },
    good: {},
  },
  fix: 'Use lower-case letters, digits and underscores, starting with a letter.',
  check(skill, report) {
    for (const name of Object.keys(getTable(skill, 'inputs'))) {
      if (/^[a-z][a-z0-9_]{0,63}$/.test(name)) continue
      const better = name
        .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '_')
        .replace(/^[^a-z]+|_+$/g, '')
      report({
        ...locateInToml(skill, ['inputs', name], 'key'),
        message: `The input ${quoteValue(name)} is not in snake_case`,
        help: better ? `Call it "${better}"` : 'Use lower-case letters, digits and underscores',
      })
    }
  },
}
