import type { ToolCaller } from '../../rpc/tool-caller.ts'
import type { Caller } from '../auth/caller.ts'
import { createCallHooks } from './call-hooks.ts'
import type { ServerContext } from '../server-context.ts'

/** A caller whose tool calls pass the same door as calls of /rpc: scope, rate, queue, log, record. */
export function createToolCaller(
  services: ServerContext,
  caller: Caller,
  isOwner = false,
): ToolCaller {
  return {
    name: caller.name,
    isOwner,
    runtime: services.runtime,
    describe: (error, of) => services.rpc.describe(error, of),
    async call(method, params, { signal, traceparent, onEvent }) {
      const door = createCallHooks(services, {
        caller,
        traceparent,
        onEvent,
        transport: 'mcp',
        signal: () => signal,
      })
      return await services.rpc.call(method, params, door)
    },
  }
}
