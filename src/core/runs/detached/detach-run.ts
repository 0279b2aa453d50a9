import { loadLazily } from '../../../util/load-lazily.ts'
import type { Services } from '../../services.ts'
import type { FunctionJob } from '../job.ts'
import type { RunCall } from '../run-call.ts'
import type { RunResult } from '../result.ts'

/** Starts processes, so it is loaded with the first detached run. */
export const loadStartDetached: () =>
  | Promise<typeof import('./start-detached.ts')>
  | typeof import('./start-detached.ts') = loadLazily(
  async () => await import('./start-detached.ts'),
)

/** Starts a function in a process of its own. */
export async function detachFunction(
  services: Services,
  { job, params }: { job: FunctionJob; params: unknown },
  call: RunCall,
): Promise<RunResult> {
  const { startDetached } = await loadStartDetached()
  const auditRefusal = async (thrown: unknown) => {
    const { auditRefusedFunction } = await import('./audit-refused-function.ts')
    await auditRefusedFunction(services, { job, call, thrown })
  }
  const answer = await startDetached(services, { kind: job.kind, params, auditRefusal }, call)
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
  return `The run continues: poll it with get_run, read its logs with read_run_logs, end it with cancel_run, each with run_id "${id}"`
}
