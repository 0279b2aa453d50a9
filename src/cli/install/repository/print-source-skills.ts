import type { RepositorySkill } from '../../../core/sources/git/list-skills.ts'
import { toPrintable } from '../../../util/printable.ts'
import { quoteShellWord } from '../../../util/shell-word.ts'
import type { Context } from '../../context.ts'
import { formatTable } from '../../ui/table.ts'

/** Prints the skills of a source that has several. */
export function printSourceSkills(
  context: Context,
  { text, skills }: { text: string; skills: readonly RepositorySkill[] },
): void {
  const usual = skills.filter(({ isUsual }) => isUsual)
  const shown = usual.length > 0 ? usual : skills
  if (context.global.json) {
    const records = shown.map(({ name, description, source }) => ({ name, description, source }))
    return context.document('skills.source/v1', { source: text, skills: records })
  }
  const rows = shown.map(({ name, description }) => [name, description].map(toPrintable))
  const columns = context.stdout.isTTY === true ? context.columns : Infinity
  context.print(formatTable(rows, { columns, paint: [context.style.cyan] }))
  const first = quoteShellWord(toPrintable(shown[0]?.name ?? ''))
  context.note(
    `Type "skills install ${quoteShellWord(toPrintable(text))} --skill ${first}" to install one, or --all`,
  )
}
