import type { Runtime } from '../../core/runtime.ts'
import { openRemote } from '../access/remote.ts'
import { checkRemote, remotePlace } from '../access/remote-options.ts'
import type { Call } from '../command.ts'
import type { Context } from '../context.ts'
import { openRuntime } from '../runtime.ts'

interface Tool<Params, Result> {
  /** As it is called on the wire. */
  name: string
  params: Params
  local: (runtime: Runtime, params: Params) => Promise<Result>
}

/** Uses a tool of this machine, or of the runtime that the command line names. */
export async function callTool<Params extends object, Result>(
  context: Context,
  call: Call,
  { name, params, local }: Tool<Params, Result>,
): Promise<Result> {
  const place = remotePlace(context, call)
  checkRemote(call, place)
  if (!place) {
    const runtime = await openRuntime(context)
    try {
      return await local(runtime, params)
    } catch (thrown) {
      throw (await import('../access/remote-errors.ts')).explainLocal(thrown)
    }
  }
  const { client, ask, signal } = openRemote(context, call, place)
  return (await ask(client.call(name, params, { signal }))) as Result
}
