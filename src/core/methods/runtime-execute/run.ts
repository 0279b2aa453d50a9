import type { ExecuteParams } from '../../execute/execute-params.ts'
import type { ExecuteResult } from '../../execute/execute-result.ts'
import type { RunCall } from '../../run/run-call.ts'
import type { Runtime } from '../../runtime.ts'

/** `runtime.execute`: runs code or a program in one of the languages, in a sandbox. */
export async function runtimeExecute(
  runtime: Runtime,
  params: ExecuteParams,
  call: RunCall,
): Promise<ExecuteResult> {
  const { execute } = await import('../../execute/execute.ts')
  return await execute(runtime, params, call)
}
