import type { MethodParams, MethodResult } from '../../core/methods/define-method.ts'
import type { Definitions, MethodName } from '../../core/methods/definitions.ts'
import { openHandle } from '../access/open-handle.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'

/** Calls a tool of the runtime that the command line selects. */
export async function callRuntimeTool<Name extends MethodName>(
  context: Context,
  call: CommandLine,
  { name, params }: { name: Name; params: MethodParams<Definitions[Name]> },
): Promise<MethodResult<Definitions[Name]>> {
  const handle = await openHandle(context, call)
  try {
    return await handle.call(name, params)
  } catch (thrown) {
    throw (await import('../access/remote-errors.ts')).explainParamsError(thrown)
  }
}
