import { METHODS } from '../../core/methods/index.ts'
import type { Isolation } from '../../core/sandbox/isolation.ts'
import type { Runtime } from '../../core/runtime.ts'
import type { LiveRuns } from '../runs/live-runs.ts'
import { makeMetrics, type Metrics } from './metrics.ts'
import type { RunQueue } from '../../core/runs/queue/run-queue.ts'

/** Cache lifetime of the blob count, which scans the complete store. */
const BLOB_COUNT_TTL_MS = 10_000

interface MetricSources {
  runQueue: RunQueue
  runs: LiveRuns
  countRefusedParts: () => number
}

/** Defines all metrics of the server. */
export function createServerMetrics(
  runtime: Runtime,
  { runQueue, runs, countRefusedParts }: MetricSources,
): Metrics {
  const blobs = createBlobUsageReader(runtime)
  const metrics = makeMetrics({
    counters: {
      skills_http_requests_total: 'HTTP requests by route and status.',
      skills_rpc_calls_total: 'JSON-RPC calls by method and code; 0 is success.',
      skills_runs_total: 'Runs by status and skill.',
      skills_runs_by_path_total: 'Runs that started: warm ones were forked, cold ones were not.',
      skills_runs_fallback_total: 'Runs that were not forked, by the reason.',
      skills_reloads_total: 'Parts that were loaded again, by part and result.',
      skills_runs_refused_total: 'Runs that were refused because too many waited.',
      skills_caller_usage_total:
        'Processor seconds, bytes of blobs and uploaded skills, by caller and resource.',
      skills_quota_refused_total: 'Calls that were refused because of a quota.',
    },
    histograms: {
      skills_rpc_duration_seconds: 'Time to answer a JSON-RPC call.',
      skills_run_duration_seconds: 'Duration of a run without queueing.',
      skills_run_stage_seconds:
        'Duration of the phases of a run: parse, resolve, policy, wait, begin, stage, channel, collect, record.',
      skills_run_wait_seconds: 'Time that a run waited in the queue.',
    },
    gauges: {
      skills_sandboxes: { help: 'Sandboxes that are running.', read: () => runQueue.running },
      skills_sandboxes_limit: {
        help: 'Sandboxes that may run at once.',
        read: () => runQueue.limits?.running ?? 0,
      },
      skills_runs_waiting_limit: {
        help: 'Runs that may wait in the queue.',
        read: () => runQueue.limits?.waiting ?? 0,
      },
      skills_runs_waiting: { help: 'Runs that wait in the queue.', read: () => runQueue.waiting },
      skills_runs_followed: { help: 'Runs whose events can be followed.', read: () => runs.size },
      skills_blobs: { help: 'Blobs in the store.', read: async () => (await blobs()).count },
      skills_blobs_bytes: { help: 'Size of all blobs.', read: async () => (await blobs()).bytes },
      skills_reload_refused: {
        help: 'Parts whose last change was refused: their earlier state is in use.',
        read: countRefusedParts,
      },
      skills_skills: {
        help: 'Skills in the repository, all versions.',
        read: async () => (await runtime.repository.list()).length,
      },
      process_resident_memory_bytes: {
        help: 'Memory of the server itself.',
        read: () => process.memoryUsage.rss(),
      },
      process_start_time_seconds: {
        help: 'When the server was started.',
        read: () => Math.round(Date.now() / 1000 - process.uptime()),
      },
    },
  })
  startAtZero(metrics)
  return metrics
}

/**
 * Creates the series whose labels are known. A rate over a series that appears with its first event
 * misses that event.
 */
function startAtZero(metrics: Metrics): void {
  for (const status of ['200', '204', '400']) {
    metrics.count('skills_http_requests_total', { route: '/rpc', status }, 0)
  }
  for (const { name: method } of METHODS) {
    metrics.count('skills_rpc_calls_total', { method, code: '0' }, 0)
  }
  for (const path of ['warm', 'cold'] satisfies Isolation['path'][]) {
    metrics.count('skills_runs_by_path_total', { path }, 0)
  }
  metrics.count('skills_runs_refused_total', {}, 0)
}

function createBlobUsageReader(runtime: Runtime): () => Promise<{ count: number; bytes: number }> {
  let cached: Promise<{ count: number; bytes: number }> | undefined
  let countedAt = -Infinity
  return async () => {
    if (!cached || performance.now() - countedAt > BLOB_COUNT_TTL_MS) {
      countedAt = performance.now()
      cached = runtime
        .blobs()
        .then(async (store) => (await store.collect({ dryRun: true })).kept)
        .catch(() => ({ count: 0, bytes: 0 }))
    }
    return await cached
  }
}
