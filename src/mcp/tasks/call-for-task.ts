import { ProtocolError } from '@modelcontextprotocol/server'
import { toSkillsError } from '../../errors.ts'
import type { Method } from '../../core/methods/method.ts'
import type { ToolCaller } from '../../rpc/tool-caller.ts'

/** Calls a method with the permissions, rates and records of a tool call. Errors are those of MCP. */
export async function callForTask(
  caller: ToolCaller,
  { method, params }: { method: Method; params: unknown },
  signal: AbortSignal,
): Promise<unknown> {
  try {
    return await caller.call(method, params, { signal, traceparent: undefined, onEvent: () => {} })
  } catch (thrown) {
    const { code, message, data } = caller.describe(toSkillsError(thrown), method)
    throw new ProtocolError(code, message, data)
  }
}
