import type { Rule } from '../../rule.ts'
import { EXAMPLE_TABLES, createExampleToml } from '../../example-skill.ts'
import { locateInToml, getToml } from '../../skill-facts.ts'

export const INSTRUCTION_WITH_RUNTIME: Rule = {
  id: 'schema/instruction-with-runtime',
  severity: 'warning',
  what: 'An instruction skill has a [runtime] table',
  why: 'The table is ignored: the skill looks executable but is not.',
  example: {
    bad: { 'skill.toml': createExampleToml({ kind: '"instruction"' }, EXAMPLE_TABLES) },
    good: {},
  },
  fix: 'Remove [runtime], or write kind = "action".',
  check(skill, report) {
    const data = getToml(skill)
    if (data?.['kind'] !== 'instruction' || data['runtime'] === undefined) return
    report({
      ...locateInToml(skill, ['runtime'], 'key'),
      message: '[runtime] has no effect in an instruction skill',
      help: 'Write kind = "action", or remove [runtime]',
      related: [{ file: 'skill.toml', ...locateKind(skill), message: 'kind is set here' }],
    })
  },
}

function locateKind(skill: Parameters<Rule['check']>[0]) {
  const { span } = locateInToml(skill, ['kind'])
  return span ? { span } : {}
}
