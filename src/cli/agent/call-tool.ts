import type { MethodParams, MethodResult } from '../../core/methods/define-method.ts'
import type { Definitions, MethodName } from '../../core/methods/definitions.ts'
import type { CallIo } from '../../runtime-handle/handle.ts'
import type { CommandHandle } from '../access/command-handle.ts'
import { openHandle } from '../access/open-handle.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'

interface ToolRequest<Name extends MethodName> {
  name: Name
  params: MethodParams<Definitions[Name]>
  /** Reads what the command line grants the call. */
  readIo?: ((handle: CommandHandle) => Promise<CallIo>) | undefined
}

/** Calls a tool of the runtime that the command line selects. */
export async function callRuntimeTool<Name extends MethodName>(
  context: Context,
  call: CommandLine,
  { name, params, ...options }: ToolRequest<Name>,
): Promise<MethodResult<Definitions[Name]>> {
  const handle = await openHandle(context, call)
  try {
    return await handle.call(name, params, await options.readIo?.(handle))
  } catch (thrown) {
    throw (await import('../access/remote-errors.ts')).explainParamsError(thrown)
  }
}
