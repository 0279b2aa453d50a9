import type { Rule } from '../../rule.ts'
import { exampleToml } from '../../example-skill.ts'
import { inToml, isRefused, tomlOf } from '../../skill-facts.ts'
import { isStray } from '../../stray-keys.ts'

export const ACTION_WITHOUT_RUNTIME: Rule = {
  id: 'schema/action-without-runtime',
  severity: 'error',
  what: 'An action skill has no [runtime] table',
  why: 'Without an entrypoint there is nothing to execute.',
  example: { bad: { 'skill.toml': exampleToml({}, '') }, good: {} },
  fix: 'Add a [runtime] table with language, entrypoint and export, or make it an instruction skill.',
  check(skill, report) {
    const { runtime } = tomlOf(skill) ?? {}
    if (runtime !== undefined || isStray(skill, 'runtime')) return
    if (!isRefused(skill, 'skill.toml', ['runtime'])) return
    report({
      ...inToml(skill, ['kind']),
      message: 'kind is "action" but there is no [runtime] table, expected one with "entrypoint"',
      help: 'Add [runtime] with language = "python", entrypoint = "code/main.py", export = "main"',
    })
  },
}
