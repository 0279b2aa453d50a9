import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { getFlagOption, getListOption, getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { callRuntimeTool } from './call-tool.ts'
import { readSession, readTurn } from './session-options.ts'

/** `skills agent docs`: lists the documents of a skill or selects some of them. */
export async function runDocsCommand(context: Context, call: CommandLine): Promise<number> {
  const selects = ['select', 'mode', 'all'].some((name) => {
    const value = call.options[name]
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false
  })
  return selects ? await selectSkillDocs(context, call) : await listSkillDocs(context, call)
}

async function selectSkillDocs(context: Context, call: CommandLine): Promise<number> {
  const session = readSession(call)
  const params = {
    skill: call.args[0] ?? '',
    ...readSelection(call),
    ...session,
    ...readTurn(call),
  }
  const result = await callRuntimeTool(context, call, {
    name: 'skill_select_docs',
    params,
  })
  if (context.global.json) {
    context.document('skills.agent-docs/v1', { ...session, ...result })
    return 0
  }
  const names = result.include_all_docs ? ['*'] : (result.selected_docs ?? [])
  if (names.length === 0) context.note('No document is selected')
  for (const name of names) context.print(toPrintable(name))
  return 0
}

/** Reads the selection; rejects contradictory options. */
function readSelection(call: CommandLine): {
  docs?: string[]
  include_all_docs?: true
  mode?: string
} {
  const selected = getListOption(call, 'select')
  const mode = getTextOption(call, 'mode')
  const all = getFlagOption(call, 'all')
  if (selected.length > 0 && all) {
    throw new SkillsError('usage/invalid', '--select and --all cannot be combined', {
      hint: 'Remove one of them',
    })
  }
  if (mode === 'clear' && (all || selected.length > 0)) {
    throw new SkillsError(
      'usage/invalid',
      '--mode clear cannot be combined with --select or --all',
      {
        hint: 'Remove --select and --all, or use --mode replace',
      },
    )
  }
  return {
    ...(selected.length > 0 && { docs: [...selected] }),
    ...(all && { include_all_docs: true }),
    ...(mode !== undefined && { mode }),
  }
}

async function listSkillDocs(context: Context, call: CommandLine): Promise<number> {
  const skill = call.args[0] ?? ''
  rejectTurnOptions(call)
  const names = await callRuntimeTool(context, call, {
    name: 'skill_list_docs',
    params: { skill },
  })
  if (context.global.json) {
    context.document('skills.agent-docs/v1', { skill, docs: names })
    return 0
  }
  for (const name of names) context.print(toPrintable(name))
  if (names.length === 0) context.note('This skill has no documents')
  return 0
}

/** Document names do not depend on the turn. */
function rejectTurnOptions(call: CommandLine): void {
  const unusedFlag = ['--load-mode', '--turn', '--max-loaded'].find((flag) => {
    return getTextOption(
      call,
      flag.slice(2).replace(/-(.)/, (_, next: string) => next.toUpperCase()),
    )
  })
  if (unusedFlag === undefined) return
  throw new SkillsError('usage/invalid', `${unusedFlag} has no effect on a list of documents`, {
    hint: 'Add --select, --all or --mode, or remove it',
  })
}
