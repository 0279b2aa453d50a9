import type { Rule } from '../../rule.ts'
import { exampleToml } from '../../example-skill.ts'
import { tomlOf } from '../../skill-facts.ts'
import { isStray } from '../../stray-keys.ts'
import { addTopLine } from '../../top-line.ts'

export const MISSING_KIND: Rule = {
  id: 'schema/missing-kind',
  severity: 'warning',
  what: 'skill.toml does not say whether the skill is an action or an instruction',
  why: 'Other runtimes need not guess it from [runtime] as this one does.',
  example: { bad: { 'skill.toml': exampleToml({ kind: null }) }, good: {} },
  fix: 'Add kind = "action" for a skill with code, kind = "instruction" for one without.',
  fixable: 'safe',
  check(skill, report) {
    const data = tomlOf(skill)
    if (!data || data['kind'] !== undefined || isStray(skill, 'kind')) return
    const hasRuntime = data['runtime'] !== undefined || isStray(skill, 'runtime')
    const kind = hasRuntime ? 'action' : 'instruction'
    report({
      file: 'skill.toml',
      span: { start: 0, end: 0 },
      message: `"kind" is missing, expected kind = "${kind}"`,
      help: `Add kind = "${kind}"`,
      edits: addTopLine(skill, `kind = "${kind}"`),
    })
  },
}
