import { AREAS } from '../../core/lint/rule.ts'
import { RULES } from '../../core/lint/rules/index.ts'
import { SkillsError } from '../../errors.ts'
import { findNearest } from '../../util/find-nearest.ts'
import type { Context } from '../context.ts'
import { toRuleRecord } from '../ui/rule-page.ts'
import { formatTable } from '../ui/table.ts'

/** `skills lint --rules [area]`. */
export function listRules(context: Context, area: string | undefined): number {
  if (area !== undefined && !(AREAS as readonly string[]).includes(area)) {
    const guess = findNearest(area, AREAS)
    const message = `Unknown area "${area}", expected one of ${AREAS.join(', ')}`
    throw new SkillsError('usage/invalid', message, {
      hint: guess
        ? `Did you mean "skills lint --rules ${guess}"?`
        : 'Type "skills lint --rules" to see all of them',
    })
  }
  const shown = RULES.filter((rule) => area === undefined || rule.id.startsWith(`${area}/`))
  if (context.global.json) {
    context.document('skills.rules/v1', { rules: shown.map(toRuleRecord) })
    return 0
  }
  const rows = shown.map(({ id, severity, fixable, what }) => {
    const fix = fixable === 'safe' ? 'fix' : fixable === 'unsafe' ? 'fix!' : ''
    return [id, severity, fix, what]
  })
  const columns = context.stdout.isTTY === true ? context.columns : Infinity
  context.print(formatTable(rows, { columns, paint: [context.style.bold] }))
  context.note(
    `${shown.length} rules; fix: fixed by --fix, fix!: by --fix-unsafe. Explain one with: skills lint --explain <rule>`,
  )
  return 0
}
