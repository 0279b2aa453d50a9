import type { Task } from '@modelcontextprotocol/server'
import type { RunSummary } from '../../core/methods/run-view.ts'

/** Interval at which clients should poll. */
const POLL_MS = 1000

/** Describes a detached run as a task. Its id is that of the run. */
export function describeTask(run: RunSummary, ttlMs: number): Task {
  const { run_id: taskId, status, started_at: createdAt, ended_at: endedAt } = run
  return {
    taskId,
    status: toTaskStatus(status),
    ...(status !== 'running' && { statusMessage: status }),
    createdAt,
    lastUpdatedAt: endedAt ?? createdAt,
    ttl: Number.isFinite(ttlMs) ? ttlMs : null,
    pollInterval: POLL_MS,
  }
}

function toTaskStatus(status: RunSummary['status']): Task['status'] {
  if (status === 'running') return 'working'
  return status === 'completed' || status === 'cancelled' ? status : 'failed'
}
