import { findNearest } from '../../../../util/find-nearest.ts'
import { INPUT_TYPES } from '../../../skills/manifest/manifest.ts'
import type { Rule } from '../../rule.ts'
import { EXAMPLE_TABLES, createExampleToml } from '../../example-skill.ts'
import {
  toTable,
  locateInToml,
  quoteValue,
  replaceTomlValue,
  getTable,
  toTomlString,
} from '../../skill-facts.ts'

const TYPE_ALIASES: Readonly<Record<string, string>> = {
  str: 'string',
  text: 'string',
  int: 'integer',
  long: 'integer',
  float: 'number',
  double: 'number',
  bool: 'boolean',
  dict: 'object',
  map: 'object',
  json: 'object',
  list: 'array',
  tuple: 'array',
  file: 'blob',
  bytes: 'blob',
}

export const UNKNOWN_TYPE: Rule = {
  id: 'inputs/unknown-type',
  severity: 'error',
  what: 'An input has an unknown type',
  why: 'Arguments are checked against the type before the run; an unknown type is not checked.',
  example: {
    bad: { 'skill.toml': createExampleToml({}, EXAMPLE_TABLES.replace('"string"', '"str"')) },
    good: {},
  },
  fix: `Use one of ${INPUT_TYPES.join(', ')}.`,
  fixable: 'unsafe',
  check(skill, report) {
    for (const [name, input] of Object.entries(getTable(skill, 'inputs'))) {
      const { type } = toTable(input)
      if (typeof type !== 'string' || (INPUT_TYPES as readonly string[]).includes(type)) continue
      const guess = TYPE_ALIASES[type.toLowerCase()] ?? findNearest(type, INPUT_TYPES)
      const path = ['inputs', name, 'type']
      report({
        ...locateInToml(skill, path),
        message: `The type ${quoteValue(type)} of "${name}" is not a valid type, expected one of ${INPUT_TYPES.join(', ')}`,
        help: guess ? `Did you mean "${guess}"?` : 'Use "any" if no other type matches',
        edits: guess ? replaceTomlValue(skill, path, toTomlString(guess)) : [],
        unsafe: true,
      })
    }
  },
}
