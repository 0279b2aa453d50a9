import { getFlagOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { formatTable } from '../ui/table.ts'
import { toPrintable, toPrintableLines } from '../../util/printable.ts'
import { callRuntimeTool } from './call-tool.ts'
import { addSessionOptions, readSession, readTurn } from './session-options.ts'

/** `skills agent show`: the loads of a session and the text that a model sees. */
export async function runShowCommand(context: Context, call: CommandLine): Promise<number> {
  const session = readSession(call)
  const withContent = getFlagOption(call, 'content')
  const {
    loaded,
    system: content,
    load_mode: mode,
    turn,
  } = await callRuntimeTool(context, call, {
    name: 'skill_context',
    params: { ...session, ...readTurn(call), peek: !getFlagOption(call, 'request') },
  })
  const skills = loaded.map(({ skill, selected_docs: docs = [], include_all_docs: all }) => ({
    skill,
    docs: all ? ('*' as const) : docs,
  }))
  if (context.global.json) {
    context.document('skills.agent-show/v1', {
      ...session,
      load_mode: mode,
      ...(turn !== undefined && { turn }),
      loaded: skills,
      ...(withContent && { content }),
    })
    return 0
  }
  if (withContent && content !== '') context.print(toPrintableLines(content))
  if (!withContent && skills.length > 0) {
    const rows = skills.map(({ skill, docs }) => [
      toPrintable(skill),
      docs === '*' ? 'all documents' : docs.map(toPrintable).join(', ') || '-',
    ])
    context.print(formatTable(rows, { columns: context.stdout.isTTY ? context.columns : Infinity }))
  }
  if (skills.length === 0) {
    context.note(
      `No skill is loaded; type "${addSessionOptions('skills agent load <skill>', call)}"`,
    )
  }
  return 0
}
