import type { ToolCaller } from '../../rpc/tool-caller.ts'
import type { Caller } from '../auth/caller.ts'
import { createCallHooks } from './call-hooks.ts'
import type { ServerContext } from '../server-context.ts'

/**
 * Creates a caller whose tool calls use the same hooks as /rpc: scope, rate, queue, log and record.
 */
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
