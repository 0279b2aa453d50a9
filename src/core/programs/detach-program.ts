import type { ExecuteParams } from '../methods/runtime-execute/definition.ts'
import { TOO_MANY_RUNS } from '../runs/audit-refusal.ts'
import { describePolling, startDetachedRun } from '../runs/detached/detach-run.ts'
import type { RunCall } from '../runs/run-call.ts'
import type { Services } from '../services.ts'
import type { ExecuteResult } from './execute-result.ts'

/** Starts a program without its caller. */
export async function detachProgram(
  services: Services,
  params: ExecuteParams,
  call: RunCall,
): Promise<ExecuteResult> {
  const auditRefusal = async (thrown: unknown) => {
    const { auditRefusedProgram } = await import('./audit-refused-program.ts')
    await auditRefusedProgram(services, { params, call, thrown, refusal: TOO_MANY_RUNS })
  }
  const request = { kind: 'execute', params, hasSecrets: false, auditRefusal } as const
  const answer = await startDetachedRun(services, request, call)
  if ('result' in answer) return answer.result as ExecuteResult
  return {
    status: 'running',
    runId: answer.runId,
    exitCode: null,
    signal: null,
    durationMs: 0,
    nextAction: { kind: 'getRun', message: describePolling(answer.runId) },
  }
}
