import type { Rule } from '../../rule.ts'
import { createExampleToml } from '../../example-skill.ts'
import { locateInToml, getToml } from '../../skill-facts.ts'

export const RESERVED_NAME: Rule = {
  id: 'naming/reserved-name',
  severity: 'error',
  what: 'The name is in a namespace that is reserved for the runtime',
  why: 'The runtime\'s own guide cannot be replaced, and "skills" and "runtime" are its Python packages.',
  example: {
    bad: { 'skill.toml': createExampleToml({ name: '"skills.protocol.greet"' }) },
    good: {},
  },
  fix: 'Use a namespace of your own.',
  check(skill, report) {
    const name = getToml(skill)?.['name']
    if (typeof name !== 'string') return
    if (!/^(?:skills|runtime)(?:\.|$)/.test(name)) return
    const first = name.split('.')[0]
    report({
      ...locateInToml(skill, ['name']),
      message: `The namespace "${first}" of "${name}" is reserved for the runtime`,
      help: 'Start the name with a namespace of your own',
    })
  },
}
