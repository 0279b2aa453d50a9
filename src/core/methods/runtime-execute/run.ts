import type { ExecuteParams } from '../../programs/execute-params.ts'
import type { ExecuteResult } from '../../programs/execute-result.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'

/** `runtime.execute`: runs code or a program in one of the languages, in a sandbox. */
export async function runtimeExecute(
  services: Services,
  params: ExecuteParams,
  call: RunCall,
): Promise<ExecuteResult> {
  const { execute } = await import('../../programs/execute.ts')
  return await execute(services, params, call)
}
