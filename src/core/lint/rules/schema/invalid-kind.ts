import { findNearest } from '../../../../util/find-nearest.ts'
import type { Rule } from '../../rule.ts'
import { createExampleToml } from '../../example-skill.ts'
import {
  locateInToml,
  quoteValue,
  replaceTomlValue,
  getToml,
  toTomlString,
} from '../../skill-facts.ts'

const KINDS = ['action', 'instruction']

export const INVALID_KIND: Rule = {
  id: 'schema/invalid-kind',
  severity: 'error',
  what: 'kind is neither "action" nor "instruction"',
  why: 'It determines whether the skill can be executed.',
  example: { bad: { 'skill.toml': createExampleToml({ kind: '"actions"' }) }, good: {} },
  fix: 'Write "action" for a skill with code, "instruction" for one without.',
  fixable: 'unsafe',
  check(skill, report) {
    const kind = getToml(skill)?.['kind']
    if (typeof kind !== 'string' || KINDS.includes(kind)) return
    const guess = findNearest(kind, KINDS)
    report({
      ...locateInToml(skill, ['kind']),
      message: `kind is ${quoteValue(kind)}, expected "action" or "instruction"`,
      help: guess
        ? `Did you mean "${guess}"?`
        : 'Write "action" for a skill with code, otherwise "instruction"',
      edits: guess ? replaceTomlValue(skill, ['kind'], toTomlString(guess)) : [],
      unsafe: true,
    })
  },
}
