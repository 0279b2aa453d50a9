import { SkillsError } from '../../errors.ts'
import type { McpConfigPlan } from '../../mcp/install/plan-change.ts'
import { toPrintableLines } from '../../util/printable.ts'
import { getFlagOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { confirmByPrompt } from '../ui/prompts.ts'

/** Outcome of a change of a client's configuration. */
export interface ConfigOutcome {
  changed: boolean
  written: boolean
  /** Path of the copy of the file before the change. */
  backup: string | null
  diff: string
}

/** Shows a change, asks for confirmation, and writes it. */
export async function applyConfigPlan(
  context: Context,
  call: CommandLine,
  plan: McpConfigPlan,
): Promise<ConfigOutcome> {
  const { createUnifiedDiff } = await import('../../util/unified-diff.ts')
  const diff = createUnifiedDiff(plan.file.replace(/^\//, ''), plan.before, plan.after)
  const isDry = getFlagOption(call, 'dryRun')
  if (diff !== '' && !context.global.json) showDiff(context, diff, isDry)
  if (diff === '' || isDry) return { changed: diff !== '', written: false, backup: null, diff }
  if (!getFlagOption(call, 'yes')) await confirmChange(context, plan)
  const { writeConfig } = await import('../../mcp/install/write-config.ts')
  return { changed: true, written: true, backup: (await writeConfig(plan)) ?? null, diff }
}

/** Ends a sentence with the path of the backup, if there is one. */
export function describeBackup({ backup }: ConfigOutcome): string {
  return backup === null ? '' : `; backup: "${backup}"`
}

/** With --dry-run the diff is the result; before a question it is a notice. */
function showDiff(context: Context, diff: string, isDry: boolean): void {
  const text = toPrintableLines(diff)
  if (isDry) context.print(text)
  else context.stderr.write(`${text}\n`)
}

async function confirmChange(context: Context, { file }: McpConfigPlan): Promise<void> {
  if (!context.isInteractive) {
    throw new SkillsError('usage/invalid', `This would change "${file}"`, {
      hint: 'Add --yes to change it, or --dry-run to see the change',
    })
  }
  if (await confirmByPrompt(context, { message: `Change "${file}"?`, initialValue: true })) return
  throw new SkillsError('run/cancelled', 'Cancelled; nothing was changed')
}
