import type { Rule } from '../../rule.ts'
import { createExampleToml } from '../../example-skill.ts'
import { locateInToml, hasProblemAt, getToml } from '../../skill-facts.ts'
import { isMisplaced } from '../../stray-keys.ts'

export const ACTION_WITHOUT_RUNTIME: Rule = {
  id: 'schema/action-without-runtime',
  severity: 'error',
  what: 'An action skill has no [runtime] table',
  why: 'Without an entrypoint there is nothing to execute.',
  example: { bad: { 'skill.toml': createExampleToml({}, '') }, good: {} },
  fix: 'Add a [runtime] table with language, entrypoint and export, or make it an instruction skill.',
  check(skill, report) {
    const { runtime } = getToml(skill) ?? {}
    if (runtime !== undefined || isMisplaced(skill, 'runtime')) return
    if (!hasProblemAt(skill, 'skill.toml', ['runtime'])) return
    report({
      ...locateInToml(skill, ['kind']),
      message: 'kind is "action" but there is no [runtime] table, expected one with "entrypoint"',
      help: 'Add [runtime] with language = "python", entrypoint = "code/main.py", export = "main"',
    })
  },
}
