import type { CommandDefinition } from '../command.ts'

export const command: CommandDefinition = {
  summary: 'List the lint rules',
  arguments: [{ syntax: '[area]', description: 'Name of one area, such as naming or permissions' }],
  examples: [
    { command: 'skills rules', explains: 'List every rule with its severity' },
    {
      command: 'skills rules permissions --json',
      explains: 'Print one area with explanations as JSON',
    },
  ],
  async run(context, call) {
    const { AREAS } = await import('../../core/lint/rule.ts')
    const { RULES } = await import('../../core/lint/rules/index.ts')
    const [area] = call.args
    if (area !== undefined && !(AREAS as readonly string[]).includes(area)) {
      const { SkillsError } = await import('../../errors.ts')
      const { findNearest } = await import('../../util/find-nearest.ts')
      const guess = findNearest(area, AREAS)
      throw new SkillsError(
        'usage/invalid',
        `Unknown area "${area}", expected one of ${AREAS.join(', ')}`,
        {
          hint: guess
            ? `Did you mean "skills rules ${guess}"?`
            : 'Type "skills rules" to see all of them',
        },
      )
    }
    const shown = RULES.filter((rule) => area === undefined || rule.id.startsWith(`${area}/`))
    if (context.global.json) {
      const { toRuleRecord } = await import('../ui/rule-page.ts')
      context.document('skills.rules/v1', { rules: shown.map(toRuleRecord) })
      return 0
    }
    const { formatTable } = await import('../ui/table.ts')
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
  },
}
