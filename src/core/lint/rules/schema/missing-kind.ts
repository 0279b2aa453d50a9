import type { Rule } from '../../rule.ts'
import { exampleToml } from '../../example-skill.ts'
import { tomlOf } from '../../skill-facts.ts'

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
    if (!data || data['kind'] !== undefined) return
    const kind = data['runtime'] === undefined ? 'instruction' : 'action'
    report({
      file: 'skill.toml',
      span: { start: 0, end: 0 },
      message: `"kind" is missing, expected kind = "${kind}"`,
      help: `Add kind = "${kind}"`,
      edits: [
        {
          kind: 'replace',
          file: 'skill.toml',
          span: topOf(skill.toml?.text ?? ''),
          text: `kind = "${kind}"\n`,
        },
      ],
    })
  },
}

/** Before the first table, where a top-level key may stand. */
function topOf(text: string): { start: number; end: number } {
  const table = /^[ \t]*\[/m.exec(text)
  if (!table) return { start: text.length, end: text.length }
  let start = table.index
  // A blank line and comments above a table belong to it.
  for (;;) {
    const previous = text.lastIndexOf('\n', start - 2) + 1
    if (start === 0 || !/^\s*(?:#.*)?\n$/.test(text.slice(previous, start))) break
    start = previous
  }
  return { start, end: start }
}
