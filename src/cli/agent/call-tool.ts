import type { MethodName } from '../../core/methods/definitions.ts'
import { METHOD_TABLE, type HandlerOf } from '../../core/methods/table.ts'
import { callMethod } from '../../core/methods/method.ts'
import { openRemote } from '../access/remote.ts'
import { checkRemote, remotePlace } from '../access/remote-options.ts'
import type { Call } from '../command.ts'
import type { Context } from '../context.ts'
import { openRuntime } from '../runtime.ts'

type Result<Name extends MethodName> = Awaited<ReturnType<HandlerOf<Name>>>

interface Tool<Name extends MethodName> {
  name: Name
  params: Parameters<HandlerOf<Name>>[1]
}

/** Uses a tool of this machine, or of the runtime that the command line names. */
export async function callTool<Name extends MethodName>(
  context: Context,
  call: Call,
  { name, params }: Tool<Name>,
): Promise<Result<Name>> {
  const place = remotePlace(context, call)
  checkRemote(call, place)
  const { cwd, env, signal } = context
  if (!place) {
    const runtime = await openRuntime(context)
    try {
      const own = { cwd, env, signal, door: 'cli' } as const
      const answer = await callMethod(runtime, METHOD_TABLE[name], { params, call: own })
      return answer as Result<Name>
    } catch (thrown) {
      throw (await import('../access/remote-errors.ts')).explainLocal(thrown)
    }
  }
  const { client, ask } = openRemote(context, call, place)
  return (await ask(client.call(name, params, { signal }))) as Result<Name>
}
