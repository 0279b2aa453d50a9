import { loadLazily } from '../../util/load-lazily.ts'

/** Methods that read and control runs. */
export const RUN_ROWS = {
  runs: {
    scope: 'run',
    effect: 'control',
    profiles: ['programs'],
    load: loadLazily(async () => (await import('./runs/handler.ts')).controlRuns),
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
