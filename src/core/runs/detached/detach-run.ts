import { loadLazily } from '../../../util/load-lazily.ts'
import type { Services } from '../../services.ts'
import type { RunCall } from '../run-call.ts'
import type { RunResult } from '../result.ts'
import type { DetachedRequest } from './start-detached.ts'

/** Starts processes, so it is loaded with the first detached run. */
export const loadStartDetached: () =>
  | Promise<typeof import('./start-detached.ts')>
  | typeof import('./start-detached.ts') = loadLazily(
  async () => await import('./start-detached.ts'),
)

/** Starts a function in a process of its own. */
export async function detachFunction(
  services: Services,
  request: DetachedRequest,
  call: RunCall,
): Promise<RunResult> {
  const { startDetached } = await loadStartDetached()
  const answer = await startDetached(services, request, call)
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
