import { listOption, flagOption, type Call } from '../command.ts'
import type { Context } from '../context.ts'
import { printable } from '../../util/printable.ts'
import { callTool } from './call-tool.ts'
import { inSameSession, sessionOf, turnOf } from './session-options.ts'

/** `skills agent load`: what the tool skill_load does. */
export async function load(context: Context, call: Call): Promise<number> {
  const at = sessionOf(call)
  const docs = listOption(call, 'doc')
  const params = {
    skill: call.args[0] ?? '',
    ...(docs.length > 0 && { docs: [...docs] }),
    ...(flagOption(call, 'allDocs') && { include_all_docs: true }),
    ...at,
    ...turnOf(call),
  }
  const result = await callTool(context, call, {
    name: 'skill_load',
    params,
  })
  if (context.global.json) {
    context.document('skills.agent-load/v1', { ...at, result })
    return 0
  }
  context.print(printable(result))
  const next = inSameSession('skills agent show --content', call)
  context.note(`Type "${next}" to see what a model sees now`)
  return 0
}
