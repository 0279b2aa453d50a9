import { flagOption, type Call } from '../command.ts'
import type { Context } from '../context.ts'
import { table } from '../ui/table.ts'
import { printable, printableLines } from '../../util/printable.ts'
import { callTool } from './call-tool.ts'
import { inSameSession, sessionOf, turnOf } from './session-options.ts'

/** `skills agent show`: what a session has loaded, and what a model sees of it. */
export async function show(context: Context, call: Call): Promise<number> {
  const at = sessionOf(call)
  const withContent = flagOption(call, 'content')
  const {
    loaded,
    system: content,
    load_mode: mode,
    turn,
  } = await callTool(context, call, {
    name: 'skill_context',
    params: { ...at, ...turnOf(call), peek: !flagOption(call, 'request') },
  })
  const skills = loaded.map(({ skill, selected_docs: docs = [], include_all_docs: all }) => ({
    skill,
    docs: all ? ('*' as const) : docs,
  }))
  if (context.global.json) {
    context.document('skills.agent-show/v1', {
      ...at,
      load_mode: mode,
      ...(turn !== undefined && { turn }),
      loaded: skills,
      ...(withContent && { content }),
    })
    return 0
  }
  if (withContent && content !== '') context.print(printableLines(content))
  if (!withContent && skills.length > 0) {
    const rows = skills.map(({ skill, docs }) => [
      printable(skill),
      docs === '*' ? 'all documents' : docs.map(printable).join(', ') || '-',
    ])
    context.print(table(rows, { columns: context.stdout.isTTY ? context.columns : Infinity }))
  }
  if (skills.length === 0) {
    context.note(`Nothing is loaded; type "${inSameSession('skills agent load <skill>', call)}"`)
  }
  return 0
}
