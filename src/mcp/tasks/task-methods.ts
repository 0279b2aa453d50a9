import type { MethodName } from '../../core/methods/definitions.ts'
import { METHODS_BY_NAME } from '../../core/methods/index.ts'
import type { CallerRun, RunSummary } from '../../core/methods/run-view.ts'
import type { Method } from '../../core/methods/method.ts'

/** Tools that can run as a task, by the kind of their runs. */
const TASK_TOOLS = {
  execute_skill: 'execute_skill',
  run_code: 'run_code',
  execute: 'runtime.execute',
} as const satisfies Partial<Record<CallerRun['kind'], MethodName>>

const TASK_TOOL_NAMES: ReadonlySet<string> = new Set(Object.values(TASK_TOOLS))

/** True if clients may call a tool as a task. */
export function supportsTasks({ name }: Pick<Method, 'name'>): boolean {
  return TASK_TOOL_NAMES.has(name)
}

/** Returns the tool whose call started a run; undefined for runs that are no tasks. */
export function findTaskTool({ kind }: RunSummary): Method | undefined {
  return kind === 'workspace' ? undefined : METHODS_BY_NAME.get(TASK_TOOLS[kind])
}

/** Returns a method that tasks use, whether or not it is offered as a tool. */
export function requireMethod(name: MethodName): Method {
  return METHODS_BY_NAME.get(name) as Method
}
