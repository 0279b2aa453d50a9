import type { Rule } from '../../rule.ts'
import { exampleToml } from '../../example-skill.ts'
import { inToml, quote, replaceToml, tomlOf, tomlText, validName } from '../../skill-facts.ts'

export const NAMESPACE_MISMATCH: Rule = {
  id: 'naming/namespace-mismatch',
  severity: 'warning',
  what: 'The namespace is not the beginning of the name',
  why: 'Whoever lists a namespace expects the skills whose names begin with it.',
  example: {
    bad: { 'skill.toml': exampleToml({ namespace: '"salesforce"' }) },
    good: { 'skill.toml': exampleToml({ namespace: '"demo"' }) },
  },
  fix: 'Use the first segments of the name, or leave namespace out.',
  fixable: 'unsafe',
  check(skill, report) {
    const namespace = tomlOf(skill)?.['namespace']
    const name = validName(skill)
    if (typeof namespace !== 'string' || namespace.trim() === '' || !name) return
    if (name === namespace || name.startsWith(`${namespace}.`)) return
    const first = name.split('.')[0] as string
    report({
      ...inToml(skill, ['namespace']),
      message: `The namespace ${quote(namespace)} is not how the name "${name}" begins`,
      help: `Write "${first}", or remove the line`,
      edits: replaceToml(skill, ['namespace'], tomlText(first)),
      unsafe: true,
    })
  },
}
