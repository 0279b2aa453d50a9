import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { SkillsError } from '../../errors.ts'
import type { Method } from '../../core/methods/method.ts'
import type { CallerRun } from '../../core/methods/run-view.ts'
import type { ToolCaller } from '../../rpc/tool-caller.ts'
import { callForTask } from './call-for-task.ts'
import { describeTask } from './describe-task.ts'
import { requireMethod, supportsTasks } from './task-methods.ts'

/** Fields of the results of all tools that can be tasks. */
interface StartedResult {
  status: string
  run_id?: string
  runId?: string
  policyDecision?: { deniedReasons?: readonly string[] }
}

/**
 * Starts a tool call as a task, which is a detached run. A refused call is an error: no task exists
 * that could report it.
 */
export async function callAsTask(
  caller: ToolCaller,
  method: Method,
  { args, ctx }: { args: unknown; ctx: ServerContext },
): Promise<CallToolResult> {
  if (!supportsTasks(method)) {
    const message = `The tool "${method.name}" cannot be called as a task`
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, message)
  }
  const { signal } = ctx.mcpReq
  const params = { ...(args as object | undefined), detach: true }
  const result = (await callForTask(caller, { method, params }, signal)) as StartedResult
  const id = result.run_id ?? result.runId
  if (result.status !== 'running' || id === undefined) throw createRefusal(caller, method, result)
  const poll = { method: requireMethod('runs'), params: { action: 'get', run_id: id } }
  const run = (await callForTask(caller, poll, signal)) as CallerRun
  const { ttlMs } = caller.runtime.config.store.runs
  // The SDK requires the content of every result of a tool.
  return { task: describeTask({ ...run, status: 'running' }, ttlMs), content: [] }
}

/** A result instead of a started run is a denial. */
function createRefusal(
  caller: ToolCaller,
  method: Method,
  { status, policyDecision }: StartedResult,
): ProtocolError {
  const reasons = policyDecision?.deniedReasons ?? [`The call is ${status}`]
  const error = new SkillsError('policy/denied', reasons.join('; '))
  const { code, message, data } = caller.describe(error, method)
  return new ProtocolError(code, message, data)
}
