import type { ExecuteResult } from '../../programs/execute-result.ts'
import { executeRequest } from '../../programs/execute.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import { useSessionFolder } from '../../workspaces/use-session-folder.ts'
import type { ExecuteParams } from './definition.ts'

/** `runtime.execute`: runs a program, with a session in the files of that. */
export async function runtimeExecute(
  services: Services,
  params: ExecuteParams,
  call: RunCall,
): Promise<ExecuteResult> {
  // The process of a detached run opens the session.
  if (params.detach === true) return await executeRequest(services, params, { call })
  return await useSessionFolder(
    services,
    { session: params.session, call },
    async (own, folder) => await executeRequest(services, params, { call: own, session: folder }),
  )
}
