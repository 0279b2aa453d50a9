import { loadLazily } from '../../util/load-lazily.ts'

/** Profiles with methods that can detach a run. */
const RUN_PROFILES = ['agent', 'programs'] as const

/** Methods that read and control runs. */
export const RUN_ROWS = {
  get_run: {
    scope: 'run',
    effect: 'read',
    profiles: RUN_PROFILES,
    load: loadLazily(async () => (await import('./get-run/handler.ts')).getRun),
  },
  read_run_logs: {
    scope: 'run',
    effect: 'read',
    profiles: RUN_PROFILES,
    load: loadLazily(async () => (await import('./read-run-logs/handler.ts')).readRunLogs),
  },
  cancel_run: {
    scope: 'run',
    effect: 'control',
    profiles: RUN_PROFILES,
    load: loadLazily(async () => (await import('./cancel-run/handler.ts')).cancelRun),
  },
  list_runs: {
    scope: 'run',
    effect: 'read',
    profiles: RUN_PROFILES,
    load: loadLazily(async () => (await import('./list-runs/handler.ts')).listDetachedRuns),
  },
  list_run_history: {
    scope: 'run',
    effect: 'read',
    load: loadLazily(async () => (await import('./list-run-history/handler.ts')).listRunHistory),
  },
  get_run_record: {
    scope: 'run',
    effect: 'read',
    load: loadLazily(async () => (await import('./get-run-record/handler.ts')).getRunRecord),
  },
} as const
