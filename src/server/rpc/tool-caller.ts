import type { ToolCaller } from '../../rpc/tool-caller.ts'
import type { Caller } from '../auth/caller.ts'
import { createCallHooks } from './call-hooks.ts'
import type { ServerContext } from '../server-context.ts'

/**
 * Creates a caller whose tool calls use the same hooks as /rpc: scope, rate, queue, log and record.
 */
export function createToolCaller(
  context: ServerContext,
  caller: Caller,
  isOwner = false,
): ToolCaller {
  return {
    name: caller.name,
    isOwner,
    runtime: context.runtime,
    describe: (error, method) => context.rpc.describe(error, method),
    async call(method, params, { signal, traceparent, onEvent }) {
      const hooks = createCallHooks(context, {
        caller,
        traceparent,
        onEvent,
        transport: 'mcp',
        signal: () => signal,
      })
      return await context.rpc.call(method, params, hooks)
    },
  }
}
