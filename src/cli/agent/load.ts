import { getListOption, getFlagOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { toPrintable } from '../../util/printable.ts'
import { callRuntimeTool } from './call-tool.ts'
import { addSessionOptions, readSession, readTurn } from './session-options.ts'

/** `skills agent load`: calls the tool skill_load. */
export async function runLoadCommand(context: Context, call: CommandLine): Promise<number> {
  const session = readSession(call)
  const docs = getListOption(call, 'doc')
  const params = {
    skill: call.args[0] ?? '',
    ...(docs.length > 0 && { docs: [...docs] }),
    ...(getFlagOption(call, 'allDocs') && { include_all_docs: true }),
    ...session,
    ...readTurn(call),
  }
  const result = await callRuntimeTool(context, call, {
    name: 'skill_load',
    params,
  })
  if (context.global.json) {
    context.document('skills.agent-load/v1', { ...session, result })
    return 0
  }
  context.print(toPrintable(result))
  const next = addSessionOptions('skills agent show --content', call)
  context.note(`Type "${next}" to see the text for the model`)
  return 0
}
