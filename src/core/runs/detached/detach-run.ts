import { refusedParam, type SkillsError } from '../../../errors.ts'
import { loadLazily } from '../../../util/load-lazily.ts'
import type { Services } from '../../services.ts'
import type { FunctionJob } from '../job.ts'
import type { RunCall } from '../run-call.ts'
import type { RunResult } from '../result.ts'
import type { DetachedAnswer, DetachedRequest } from './detached-request.ts'

/** Starts processes, so it is loaded with the first detached run. */
const loadStartDetached: () =>
  | Promise<typeof import('./start-detached.ts')>
  | typeof import('./start-detached.ts') = loadLazily(
  async () => await import('./start-detached.ts'),
)

/** Starts a run in a process of its own, or on another machine. */
export async function startDetachedRun(
  services: Services,
  request: DetachedRequest,
  call: RunCall,
): Promise<DetachedAnswer> {
  if (services.startDetached) {
    const { session } = request.params as { session?: string }
    if (session !== undefined) throw movedSessionError()
    return await services.startDetached(request, call)
  }
  const { startDetached } = await loadStartDetached()
  return await startDetached(services, request, call)
}

/** Files of a session are on one machine of a fleet, and detached runs on any. */
function movedSessionError(): SkillsError {
  return refusedParam(
    'detach',
    'A detached run of a fleet sees no files of a session: leave out detach, or the session',
  )
}

/** Starts a function without its caller. */
export async function detachFunction(
  services: Services,
  { job, params }: { job: FunctionJob; params: unknown },
  call: RunCall,
): Promise<RunResult> {
  const auditRefusal = async (thrown: unknown) => {
    const { auditRefusedFunction } = await import('./audit-refused-function.ts')
    await auditRefusedFunction(services, { job, call, thrown })
  }
  const hasSecrets = job.skills.some(({ manifest }) => manifest.permissions.secrets.length > 0)
  const request = { kind: job.kind, params, hasSecrets, auditRefusal }
  const answer = await startDetachedRun(services, request, call)
  if ('result' in answer) return answer.result as RunResult
  return {
    status: 'running',
    run_id: answer.runId,
    summary: describePolling(answer.runId),
    output_blobs: [],
    logs_preview: '',
    isolation: null,
    duration_ms: 0,
  }
}

/** The methods that follow a detached run. */
export function describePolling(id: string): string {
  return `The run continues: call runs with run_id "${id}" and the action get (its state and result), logs or cancel`
}
