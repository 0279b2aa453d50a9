import type { Rule } from '../../rule.ts'
import { createExampleToml } from '../../example-skill.ts'
import {
  locateInToml,
  quoteValue,
  replaceTomlValue,
  getToml,
  toTomlString,
  getValidName,
} from '../../skill-facts.ts'

export const NAMESPACE_MISMATCH: Rule = {
  id: 'naming/namespace-mismatch',
  severity: 'warning',
  what: 'The namespace is not a prefix of the name',
  why: 'A listing of a namespace is expected to show the skills whose names start with it.',
  example: {
    bad: { 'skill.toml': createExampleToml({ namespace: '"salesforce"' }) },
    good: { 'skill.toml': createExampleToml({ namespace: '"demo"' }) },
  },
  fix: 'Use the first segments of the name, or omit namespace.',
  fixable: 'unsafe',
  check(skill, report) {
    const namespace = getToml(skill)?.['namespace']
    const name = getValidName(skill)
    if (typeof namespace !== 'string' || namespace.trim() === '' || !name) return
    if (name === namespace || name.startsWith(`${namespace}.`)) return
    const first = name.split('.')[0] as string
    report({
      ...locateInToml(skill, ['namespace']),
      message: `The namespace ${quoteValue(namespace)} is not a prefix of the name "${name}"`,
      help: `Write "${first}", or remove the line`,
      edits: replaceTomlValue(skill, ['namespace'], toTomlString(first)),
      unsafe: true,
    })
  },
}
