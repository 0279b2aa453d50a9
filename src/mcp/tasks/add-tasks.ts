import {
  ProtocolError,
  ProtocolErrorCode,
  RELATED_TASK_META_KEY,
  type CallToolResult,
  type McpServer,
  type ServerContext,
  type Task,
} from '@modelcontextprotocol/server'
import type { CallerRun } from '../../core/methods/run-view.ts'
import type { RunsParams, RunsResults } from '../../core/methods/runs/definition.ts'
import type { ToolCaller } from '../../rpc/tool-caller.ts'
import { toToolResult } from '../tools/call-tool.ts'
import { callForTask } from './call-for-task.ts'
import { describeTask } from './describe-task.ts'
import { findTaskTool, requireMethod } from './task-methods.ts'

/** Time of one wait for the end of a task; waits are repeated. */
const WAIT_MS = 20_000

/** The SDK parses tasks, and its types offer no handlers for them. */
type TaskHandler = (
  request: { params?: { taskId?: string; cursor?: string } },
  ctx: ServerContext,
) => Promise<object>
interface TaskServer {
  setRequestHandler(method: string, handler: TaskHandler): void
}

/** Tasks of revision 2025-11-25: detached runs of the caller. Newer revisions refuse the methods. */
export function addTasks({ server: sdkServer }: McpServer, caller: ToolCaller): void {
  const server = sdkServer as unknown as TaskServer
  const { ttlMs } = caller.runtime.config.store.runs
  const call: CallRuns = async (params, { mcpReq }) =>
    (await callForTask(caller, { method: requireMethod('runs'), params }, mcpReq.signal)) as never
  server.setRequestHandler('tasks/get', async ({ params }, ctx) => {
    return describeTask(await requireTask(call, params?.taskId, ctx), ttlMs)
  })
  server.setRequestHandler('tasks/list', async ({ params = {} }, ctx) => {
    const { cursor } = params
    const { runs, next_cursor: next } = await call({ action: 'list', cursor }, ctx)
    const tasks: Task[] = runs.map((run) => describeTask(run, ttlMs))
    return { tasks, ...(next !== null && { nextCursor: next }) }
  })
  server.setRequestHandler('tasks/cancel', async ({ params }, ctx) => {
    const { run_id: id, status } = await requireTask(call, params?.taskId, ctx)
    if (status !== 'running') {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The task has ended: ${status}`)
    }
    return describeTask(await call({ action: 'cancel', run_id: id }, ctx), ttlMs)
  })
  server.setRequestHandler('tasks/result', async ({ params }, ctx) => {
    let run = await requireTask(call, params?.taskId, ctx)
    while (run.status === 'running' && !ctx.mcpReq.signal.aborted) {
      run = await call({ action: 'get', run_id: run.run_id, wait_ms: WAIT_MS }, ctx)
    }
    return await readTaskResult(caller, run)
  })
}

type CallRuns = <Action extends keyof RunsResults>(
  params: Omit<RunsParams, 'action'> & { action: Action },
  ctx: ServerContext,
) => Promise<RunsResults[Action]>

/** Finds a detached run of the caller. */
async function requireTask(
  call: CallRuns,
  taskId: string | undefined,
  ctx: ServerContext,
): Promise<CallerRun> {
  const run = await call({ action: 'get', run_id: taskId }, ctx)
  if (run.detached) return run
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'This run is not a task')
}

/** Returns what the call would have returned without a task. */
async function readTaskResult(caller: ToolCaller, run: CallerRun): Promise<CallToolResult> {
  const method = findTaskTool(run)
  if (!run.result || !method) {
    const message = run.error?.message ?? `The task is ${run.status}`
    throw new ProtocolError(ProtocolErrorCode.InternalError, message)
  }
  const result = await toToolResult(caller, method, run.result)
  const related = { [RELATED_TASK_META_KEY]: { taskId: run.run_id } }
  return { ...result, _meta: { ...result._meta, ...related } }
}
