import type { Rule } from '../../rule.ts'
import { createExampleToml } from '../../example-skill.ts'
import { getToml } from '../../skill-facts.ts'
import { isMisplaced } from '../../stray-keys.ts'
import { addTopLevelLine } from '../../fix/add-top-level-line.ts'

export const MISSING_KIND: Rule = {
  id: 'schema/missing-kind',
  severity: 'warning',
  what: 'skill.toml does not declare the kind of the skill, action or instruction',
  why: 'This runtime derives it from [runtime]; other runtimes may not.',
  example: { bad: { 'skill.toml': createExampleToml({ kind: null }) }, good: {} },
  fix: 'Add kind = "action" for a skill with code, kind = "instruction" for one without.',
  fixable: 'safe',
  check(skill, report) {
    const data = getToml(skill)
    if (!data || data['kind'] !== undefined || isMisplaced(skill, 'kind')) return
    const hasRuntime = data['runtime'] !== undefined || isMisplaced(skill, 'runtime')
    const kind = hasRuntime ? 'action' : 'instruction'
    report({
      file: 'skill.toml',
      span: { start: 0, end: 0 },
      message: `"kind" is missing, expected kind = "${kind}"`,
      help: `Add kind = "${kind}"`,
      edits: addTopLevelLine(skill, `kind = "${kind}"`),
    })
  },
}
